//! Personal tokens: the form, the secret (which is shown once), and the list.

use domain::{Capabilities, Capability, Level};
use gateway::{Content, Context, Entry, Input, InputForm, Page, Reply, Result, Spec};
use identity::authorization::capability_label;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    access::Access,
    clients::paste_block,
    daily_use::DailyUse,
    once,
    words::{self, last_use_text},
};
use crate::{
    agent_changes::Activity,
    area::{page_spec, receiver_spec},
    forms::{operation_form, refuse_form},
    shell, text,
    view::View,
};

/// The form that creates a token.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Create {
    nome: Option<String>,
    /// Um nível, ou `escolher` para os escopos marcados.
    nivel: Option<String>,
    #[serde(default)]
    escopos: Vec<String>,
    dias: Option<u8>,
}

/// The page that shows the secret of a new token once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Created {}

const SHOWN_AT: &str = "/agentes/token";
const CREATE_ROUTE: Spec = receiver_spec("console_create_token", "Criar token", "/agentes/tokens")
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[400, 403, 429]);
const CREATED_ROUTE: Spec =
    page_spec("console_token_created", "Token criado", SHOWN_AT).partial(&[303]);

pub(super) const CREATE: Entry = Entry::for_page::<Create>(
    CREATE_ROUTE,
    "Cria um token pessoal e leva à página que o mostra.",
);
pub(super) const CREATED: Entry = Entry::for_page::<Created>(
    CREATED_ROUTE,
    "Mostra uma vez o token que acaba de ser criado.",
);

const CHOSEN: &str = "escolher";

#[derive(Deserialize)]
struct Tokens {
    tokens: Vec<Token>,
}

/// A token without its secret.
#[derive(Deserialize)]
pub(super) struct Token {
    pub id: String,
    pub label: String,
    pub prefix: String,
    pub scopes: Vec<Capability>,
    pub expires_at: String,
    pub last_used_at: Option<String>,
    pub status: String,
    pub uso_hoje: DailyUse,
}

#[derive(Serialize, Deserialize)]
struct Secret {
    token: String,
    label: String,
}

impl Page for Create {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let access: Access = view.read("get_my_access", json!({})).await?;
        let label = self.nome.clone().unwrap_or_default();
        let mut input = Input::new();
        input.insert("label".into(), label.as_str().into());
        input.insert("scopes".into(), self.requested_scopes(&access));
        if let Some(days) = self.dias {
            input.insert("expiresInDays".into(), days.into());
        }
        match view.call::<Value>("create_my_token", input).await {
            Ok(answer) => {
                let token = answer["token"].as_str().unwrap_or_default().to_owned();
                once::redirect_with_value(&view, SHOWN_AT, Secret { token, label })
            }
            Err(error) => Ok(refuse_form(
                &view,
                "O token não foi criado",
                &error,
                &token_form(&view, &access),
            )),
        }
    }
}

impl Create {
    fn requested_scopes(&self, access: &Access) -> Value {
        let level = self.nivel.as_deref().unwrap_or_default();
        if level == CHOSEN {
            return json!(self.escopos);
        }
        let available: Capabilities = access.capabilities.iter().copied().collect();
        let level = level.parse().unwrap_or(Level::Leitor);
        let wanted = Capabilities::of_level(level, false).intersection(available);
        json!(wanted.iter().collect::<Vec<_>>())
    }
}

impl Page for Created {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let Some(secret) = once::read_value::<Secret>(&view, SHOWN_AT) else {
            return Ok(Reply::new(Content::Redirect(
                view.href_to("/agentes#tokens"),
            )));
        };
        let body = html! {
            h1 { "Token criado" }
            div class="notice wait" {
                p { strong { "Copie agora." } " O token não aparece de novo, nem recarregando a página. Quem o tem age como você." }
            }
            h2 dir="auto" { (secret.label) }
            (paste_block("segredo", &secret.token))
            p { "Guarde-o em um cofre de senhas ou no ambiente, e não em arquivos do projeto:" }
            (paste_block("ambiente", &format!("export PAUTA_TOKEN=\"{}\"", secret.token)))
            p { a class="button" href=(view.href_to("/agentes#tokens")) { "Já copiei" } }
        };
        let page = shell::console_page(&view, "Token criado", &body);
        Ok(once::delete_cookie(&view, SHOWN_AT, page))
    }
}

/// Reads the tokens of the member.
pub(super) async fn read_tokens(view: &View<'_>) -> Result<Vec<Token>> {
    let listed: Tokens = view.read("list_my_tokens", json!({ "limit": 200 })).await?;
    Ok(listed.tokens)
}

/// Draws the form of a new token.
pub(super) fn token_form(view: &View<'_>, access: &Access) -> Markup {
    let most = access.member.effective_api_access_level;
    let levels = Level::ALL.iter().copied();
    let levels = levels.filter(|level| *level > Level::Nenhum && *level <= most);
    html! {
        form method="post" action=(view.href_to("/agentes/tokens")) class="form stack narrow" {
            label class="field" {
                span { "Nome" }
                input name="nome" required maxlength="80" autocomplete="off" placeholder="Claude Code no notebook";
            }
            fieldset {
                legend { "Até onde pode ir" }
                @for level in levels {
                    label class="choice" {
                        input type="radio" name="nivel" value=(level) checked[level == Level::Leitor];
                        span { (words::level_name(level)) }
                    }
                }
                label class="choice" {
                    input type="radio" name="nivel" value=(CHOSEN);
                    span { "Só o que eu marcar abaixo" }
                }
            }
            fieldset class="one-by-one" {
                legend { "Permissões" }
                @for one in &access.capabilities {
                    label class="choice" {
                        input type="checkbox" name="escopos" value=(one);
                        span { (capability_label(*one)) }
                    }
                }
            }
            label class="field" {
                span { "Validade" }
                select name="dias" {
                    option value="7" { "7 dias" }
                    option value="30" selected { "30 dias" }
                    option value="60" { "60 dias" }
                    option value="90" { "90 dias" }
                }
            }
            div class="outcome" role="alert" {}
            button type="submit" { "Criar token" }
        }
    }
}

/// Draws the list of tokens. Active tokens come first.
pub(super) fn token_list(view: &View<'_>, tokens: &[Token], activity: &Activity) -> Markup {
    let (active, ended): (Vec<&Token>, Vec<&Token>) =
        tokens.iter().partition(|token| token.status == "active");
    let revoke = |token: &Token| {
        html! {
            details {
                summary { "Revogar" }
                (operation_form(view, "revoke_my_token", "/agentes#tokens", &html! {
                    p { "Tudo o que usa este token deixa de funcionar na hora." }
                    input type="hidden" name="tokenId" value=(token.id);
                    button type="submit" class="danger" { "Revogar o token" }
                }))
            }
        }
    };
    html! {
        @if active.is_empty() { p class="empty" { "Nenhum token ativo." } }
        div class="grid people" { @for token in active { (token_card(token, &activity.draw_agent_changes(view, &token.id), &revoke(token))) } }
        @if !ended.is_empty() {
            details {
                summary { "Revogados e vencidos (" (ended.len()) ")" }
                div class="grid people" { @for token in ended { (token_card(token, &html! {}, &html! {})) } }
            }
        }
    }
}

/// Draws the card of a token. `did` is the list of the token's changes of today. `end` is the form that
/// revokes the token.
pub(super) fn token_card(token: &Token, did: &Markup, end: &Markup) -> Markup {
    html! {
        article class="card" {
            div class="spread" {
                h3 dir="auto" { (token.label) }
                (words::draw_status(&token.status))
            }
            dl class="facts" {
                dt { "Começa com" } dd { code { (token.prefix) "…" } }
                dt { "Pode" } dd { (words::draw_scopes(&token.scopes)) }
                dt { "Último uso" } dd { (last_use_text(token.last_used_at.as_deref())) }
                (token.uso_hoje.draw())
                dt { "Até" } dd { (text::format_iso_day(&token.expires_at)) }
            }
            (did)
            (end)
        }
    }
}
