//! Invites people. The link of an invitation is shown once.

use domain::Role;
use gateway::{Content, Context, Entry, Input, InputForm, Page, Reply, Result, Spec};
use identity::mail;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{clients::paste_block, once, words};
use crate::{
    area::{page_spec, receiver_spec},
    forms::refuse_form,
    shell,
    view::View,
};

/// The form that invites a person.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Invite {
    nome: Option<String>,
    email: Option<String>,
    papel: Option<String>,
    financeiro: Option<String>,
    por_email: Option<String>,
}

/// The form that replaces an invitation.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Reissue {
    membro: String,
    nome: Option<String>,
    por_email: Option<String>,
}

/// The page that shows the link once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Link {}

const SHOWN_AT: &str = "/equipe/convite";
const INVITE_ROUTE: Spec =
    receiver_spec("console_invite", "Convidar uma pessoa", "/equipe/convites")
        .takes(InputForm::UrlEncoded)
        .partial(&[303])
        .fails(&[400, 403, 409]);
const REISSUE_ROUTE: Spec = receiver_spec(
    "console_reissue_invitation",
    "Refazer convite",
    "/equipe/{membro}/convite",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[403, 404, 409]);
const LINK_ROUTE: Spec =
    page_spec("console_invitation_made", "Convite feito", SHOWN_AT).partial(&[303]);

pub(super) const INVITE: Entry = Entry::for_page::<Invite>(
    INVITE_ROUTE,
    "Convida uma pessoa e leva à página que mostra o link.",
);
pub(super) const REISSUE: Entry = Entry::for_page::<Reissue>(
    REISSUE_ROUTE,
    "Refaz o convite de uma pessoa e leva à página que mostra o link.",
);
pub(super) const LINK: Entry = Entry::for_page::<Link>(
    LINK_ROUTE,
    "Mostra uma vez o link do convite que acaba de ser feito.",
);

#[derive(Serialize, Deserialize)]
struct Made {
    name: String,
    link: Option<String>,
    remains: Vec<String>,
}

impl Page for Invite {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let name = text(&self.nome);
        let input = json!({
            "name": name,
            "email": text(&self.email).trim(),
            "access_level": self.papel.as_deref().unwrap_or(Role::Criador.as_str()),
            "financeiro": self.financeiro.is_some(),
            "por_email": self.por_email.is_some(),
        });
        match ctx.read("invite_member", input).await {
            Ok(answer) => redirect_to_link(&view, name, &answer),
            Err(error) => {
                let form = invitation_form(&view, Some(&self));
                Ok(refuse_form(&view, "O convite não foi feito", &error, &form))
            }
        }
    }
}

impl Page for Reissue {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = Input::from_iter([
            ("memberId".into(), self.membro.clone().into()),
            ("por_email".into(), self.por_email.is_some().into()),
        ]);
        match view.call("reissue_invitation", input).await {
            Ok(answer) => redirect_to_link(&view, self.nome.unwrap_or_default(), &answer),
            Err(error) => {
                let back = html! { p { a href=(view.href_to(&format!("/equipe/{}", self.membro))) { "Voltar" } } };
                Ok(refuse_form(
                    &view,
                    "O convite não foi refeito",
                    &error,
                    &back,
                ))
            }
        }
    }
}

fn redirect_to_link(view: &View<'_>, name: String, answer: &Value) -> Result<Reply> {
    let remains = answer["avisos"].as_array().into_iter().flatten();
    let remains = remains.filter_map(|text| text.as_str().map(str::to_owned));
    let made = Made {
        name,
        link: answer["convite_url"].as_str().map(str::to_owned),
        remains: remains.collect(),
    };
    once::redirect_with_value(view, SHOWN_AT, made)
}

impl Page for Link {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let Some(made) = once::read_value::<Made>(&view, SHOWN_AT) else {
            return Ok(Reply::new(Content::Redirect(view.href_to("/equipe"))));
        };
        let body = html! {
            h1 { "Convite feito" }
            @if let Some(link) = &made.link {
                p { "Mande este link a " strong { bdi { (made.name) } } ". Com ele, a pessoa define a senha e entra." }
                div class="notice wait" {
                    p { strong { "Copie agora." } " O link não aparece de novo, vale 72 horas e serve uma vez." }
                }
                (paste_block("convite", link))
            } @else if view.ctx.services.identity.issuer().is_some() {
                p { "O provedor de identidade escreve a " strong { bdi { (made.name) } } "." }
            } @else {
                p { "A Pauta escreve a " strong { bdi { (made.name) } } ", com um link que serve uma vez." }
            }
            @for text in &made.remains { p { (text) } }
            p { a class="button" href=(view.href_to("/equipe")) { "Voltar à equipe" } }
        };
        let page = shell::console_page(&view, "Convite feito", &body);
        Ok(once::delete_cookie(&view, SHOWN_AT, page))
    }
}

/// Draws the form of an invitation, filled with the fields of a refused form.
pub(super) fn invitation_form(view: &View<'_>, sent: Option<&Invite>) -> Markup {
    let was = |text: fn(&Invite) -> &Option<String>| {
        sent.and_then(|sent| text(sent).as_deref())
            .unwrap_or_default()
    };
    let role = was(|sent| &sent.papel).parse().unwrap_or(Role::Criador);
    html! {
        form method="post" action=(view.href_to("/equipe/convites")) class="form stack narrow" {
            label class="field" {
                span { "Nome" }
                input name="nome" required maxlength="120" autocomplete="off" value=(was(|sent| &sent.nome));
            }
            label class="field" {
                span { "E-mail" }
                input type="email" name="email" required maxlength="254" autocomplete="off" value=(was(|sent| &sent.email));
            }
            (role_choices(role))
            label class="choice" {
                input type="checkbox" name="financeiro" checked[sent.is_some_and(|sent| sent.financeiro.is_some())];
                span { "Vê os números de vendas" }
            }
            (delivery_choice(view))
            p class="soft" { "Tokens e agentes desta pessoa só funcionam depois que você lhe der um nível de API." }
            div class="outcome" role="alert" {}
            button type="submit" { "Convidar" }
        }
    }
}

fn role_choices(chosen: Role) -> Markup {
    html! {
        fieldset {
            legend { "Papel" }
            @for role in Role::ALL {
                label class="choice" {
                    input type="radio" name="papel" value=(role) checked[*role == chosen];
                    span { strong { (words::role_name(*role)) } ": " (words::role_text(*role)) }
                }
            }
        }
    }
}

/// Draws the checkbox that sends the link by e-mail. Empty if a hosted issuer sends the invitation.
fn delivery_choice(view: &View<'_>) -> Markup {
    let services = view.ctx.services;
    html! {
        @if services.identity.issuer().is_none() {
            @if mail::is_configured(services) {
                label class="choice" {
                    input type="checkbox" name="por_email" checked;
                    span { "Mandar o link por e-mail; sem isto, você o recebe e o manda" }
                }
            } @else {
                p class="soft" { "Esta Pauta não envia e-mails: você recebe o link e o manda à pessoa." }
            }
        }
    }
}

/// Draws the form that replaces the invitation of a member.
pub(super) fn reissue_form(view: &View<'_>, id: &str, name: &str) -> Markup {
    html! {
        form method="post" action=(view.href_to(&format!("/equipe/{id}/convite"))) class="form stack" {
            input type="hidden" name="nome" value=(name);
            p { "Para quem ainda não aceitou o convite, ou perdeu o link. O anterior deixa de valer." }
            (delivery_choice(view))
            div class="outcome" role="alert" {}
            button type="submit" class="quiet" { "Fazer convite novo" }
        }
    }
}
