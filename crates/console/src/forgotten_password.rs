//! The page on which a member who has forgotten the password requests a link that sets a new password.
//!
//! The page answers in the same way for addresses of members and for unknown addresses.

use domain::Email;
use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Services, Spec, Verb};
use identity::mail::{self, forgotten_password};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    area::public_spec,
    forms::{error_notice, with_error_status},
    links, shell,
};

/// The page with the form.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ForgottenPage {}

/// The form.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Forgotten {
    email: Option<String>,
}

pub(crate) const PATH: &str = "/senha/esquecida";
const TITLE: &str = "Esqueci a senha";
const PAGE_ROUTE: Spec = public_spec("console_forgotten_password_page", TITLE, Verb::Get, PATH);
const ROUTE: Spec = public_spec(
    "console_forgotten_password",
    "Pedir uma senha nova",
    Verb::Post,
    PATH,
)
.takes(InputForm::UrlEncoded)
.fails(&[400, 403, 429]);

pub(crate) const PAGE: Entry = Entry::for_page::<ForgottenPage>(
    PAGE_ROUTE,
    "Onde quem esqueceu a senha pede um link para definir outra.",
);
pub(crate) const ASK: Entry = Entry::for_page::<Forgotten>(
    ROUTE,
    "Manda o link, se o e-mail é de um membro. A resposta é a mesma se não é.",
);

impl Page for ForgottenPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        Ok(unavailable_page(ctx.services).unwrap_or_else(|| form_page(ctx.services, "", None)))
    }
}

impl Page for Forgotten {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let services = ctx.services;
        if let Some(page) = unavailable_page(services) {
            return Ok(page);
        }
        let text = self.email.unwrap_or_default();
        let Ok(email) = text.trim().parse::<Email>() else {
            let wrong = Error::invalid_field("email", "format", "deve ser um e-mail");
            return Ok(form_page(services, &text, Some(&wrong)));
        };
        match forgotten_password::request_link(ctx, &email).await {
            Ok(()) => Ok(link_requested_page(services)),
            Err(error) if error.status() == 429 => Ok(form_page(services, &text, Some(&error))),
            Err(error) => Err(error),
        }
    }
}

/// Replies with an explanation if the installation cannot send links.
fn unavailable_page(services: &Services) -> Option<Reply> {
    let text = if services.identity.issuer().is_some() {
        "A senha fica com o provedor de identidade da equipe: troque-a na página dele."
    } else if mail::is_configured(services) {
        return None;
    } else {
        "Esta Pauta não envia e-mails. Peça a um admin da equipe uma senha nova: ele a define na página \
         “Equipe”."
    };
    let body = html! { h1 { (TITLE) } p { (text) } (back_link(services)) };
    Some(shell::bare_page(services, TITLE, &body))
}

fn form_page(services: &Services, email: &str, wrong: Option<&Error>) -> Reply {
    let body = html! {
        h1 { (TITLE) }
        p { "Mandamos ao seu e-mail um link para definir uma senha nova. Ele vale 30 minutos." }
        @if let Some(error) = wrong { (error_notice(error)) }
        form method="post" action=(links::href_to(services, PATH)) class="stack" {
            label class="field" {
                span { "E-mail" }
                input type="email" name="email" value=(email) autocomplete="username" maxlength="254" required autofocus;
            }
            button type="submit" { "Mandar o link" }
        }
        (back_link(services))
    };
    let reply = shell::bare_page(services, TITLE, &body);
    match wrong {
        Some(error) => with_error_status(reply, error),
        None => reply,
    }
}

fn link_requested_page(services: &Services) -> Reply {
    let body = html! {
        h1 { "Confira seu e-mail" }
        p { "Se esse e-mail é de alguém da equipe, um link para definir uma senha nova está a caminho. Ele vale 30 minutos e serve uma vez." }
        p class="soft" { "Não chegou? Olhe a pasta de spam e confira se escreveu o e-mail com que entra. Depois, peça a um admin da equipe." }
        (back_link(services))
    };
    shell::bare_page(services, "Confira seu e-mail", &body)
}

fn back_link(services: &Services) -> Markup {
    html! { p { a href=(links::href_to(services, "/entrar")) { "Voltar à entrada" } } }
}
