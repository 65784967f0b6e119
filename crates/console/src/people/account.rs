//! The member's own account: personal data, password and sessions.

use gateway::{Content, Context, Entry, InputForm, Page, Reply, Result, Spec};
use identity::browser;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::words;
use crate::{
    area::{page_spec, receiver_spec},
    forms::{operation_form, refuse_form},
    shell,
    view::View,
};

/// The page of the member's own account.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AccountPage {}

/// The form that changes the member's own password.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ChangePassword {
    senha_atual: Option<String>,
    senha: Option<String>,
    revogar_tokens: Option<String>,
}

const PATH: &str = "/conta";
const ROUTE: Spec = page_spec("console_account", "Minha conta", PATH);
const PASSWORD_ROUTE: Spec =
    receiver_spec("console_change_password", "Trocar a senha", "/conta/senha")
        .takes(InputForm::UrlEncoded)
        .partial(&[303])
        .fails(&[400, 401, 429]);

pub(super) const PAGE: Entry =
    Entry::for_page::<AccountPage>(ROUTE, "Os próprios dados, a senha e as sessões.");
pub(super) const PASSWORD: Entry =
    Entry::for_page::<ChangePassword>(PASSWORD_ROUTE, "Troca a senha; esta sessão continua.");

impl Page for AccountPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let member = view.member();
        let body = html! {
            h1 { "Minha conta" }
            dl class="facts" {
                dt { "Nome" } dd dir="auto" { (member.name) }
                dt { "E-mail" } dd { (member.email) }
                dt { "Papel" } dd { strong { (words::role_name(member.role)) } ": " (words::role_text(member.role)) }
                dt { "Números de vendas" } dd { (if member.financeiro { "Vê" } else { "Não vê" }) }
                dt { "Nível de API" }
                dd {
                    (words::level_name(member.effective_api_level()))
                    " (" a href=(view.href_to("/agentes")) { "agentes e tokens" } ")"
                }
            }
            p class="soft" { "Nome, e-mail, papel e nível são mudados por um admin da equipe." }
            @if view.may_call("change_my_password") {
                section class="card narrow" id="senha" {
                    h2 { "Trocar a senha" }
                    (password_form(&view))
                }
            }
            @if view.may_call("sign_out") {
                section class="card narrow" id="sessoes" {
                    h2 { "Sessões" }
                    p { "Uma sessão é cada lugar em que você entrou: este navegador, outro computador, a linha de comando. Agentes e tokens não são sessões." }
                    (operation_form(&view, "sign_out", "/conta", &html! {
                        input type="hidden" name="scope" value="others";
                        button type="submit" class="quiet" { "Sair das outras sessões" }
                    }))
                    (operation_form(&view, "sign_out", "/conta", &html! {
                        input type="hidden" name="scope" value="global";
                        button type="submit" class="danger" { "Sair de todas, também desta" }
                    }))
                }
            }
        };
        Ok(shell::console_page(&view, "Minha conta", &body))
    }
}

fn password_form(view: &View<'_>) -> Markup {
    html! {
        form method="post" action=(view.href_to("/conta/senha")) class="form stack" {
            input type="hidden" name="username" autocomplete="username" value=(view.member().email);
            label class="field" {
                span { "Senha atual" }
                input type="password" name="senha_atual" required maxlength="256" autocomplete="current-password";
            }
            label class="field" {
                span { "Senha nova" }
                input type="password" name="senha" required minlength="12" maxlength="256" autocomplete="new-password";
                small { "Ao menos 12 caracteres; três ou quatro palavras sem relação servem bem." }
            }
            label class="choice" {
                input type="checkbox" name="revogar_tokens";
                span { "Revogar também meus tokens, agentes e calendários: a senha antiga pode ter vazado" }
            }
            p class="soft" { "As outras sessões terminam." }
            div class="outcome" role="alert" {}
            button type="submit" { "Trocar a senha" }
        }
    }
}

#[derive(Deserialize)]
struct Opened {
    access_token: String,
}

impl Page for ChangePassword {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = json!({
            "password": self.senha.unwrap_or_default(),
            "current_password": self.senha_atual.unwrap_or_default(),
            "revoke_tokens": self.revogar_tokens.is_some(),
        });
        match view.read::<Opened>("change_my_password", input).await {
            Ok(opened) => {
                let cookie = browser::cookie_for_session_token(ctx.services, &opened.access_token)?;
                let to = view.href_to("/conta?feito=change_my_password");
                Ok(Reply::new(Content::Redirect(to)).with_header("set-cookie", cookie))
            }
            Err(error) => Ok(refuse_form(
                &view,
                "A senha não foi trocada",
                &error,
                &password_form(&view),
            )),
        }
    }
}
