//! Signs in and out.

use domain::Email;
use gateway::{Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec, Verb};
use identity::{
    ReturnPath,
    authorization::{AtIssuer, PRIVACY_PATH},
    browser, first_access,
};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    area::{public_spec, receiver_spec},
    forgotten_password,
    forms::{error_notice, with_error_status},
    links, shell,
};

/// The sign-in page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SignInPage {
    /// Para onde ir depois: um caminho desta Pauta.
    volta: Option<String>,
}

/// The sign-in form.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SignIn {
    email: Option<String>,
    password: Option<String>,
    volta: Option<String>,
}

/// The form that signs out.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SignOut {}

const PATH: &str = "/entrar";
const PAGE_ROUTE: Spec =
    public_spec("console_sign_in_page", "Página de entrada", Verb::Get, PATH).partial(&[303]);
const ROUTE: Spec = public_spec("console_sign_in", "Entrar no console", Verb::Post, PATH)
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[401, 403, 429]);
const OUT_ROUTE: Spec =
    receiver_spec("console_sign_out", "Sair do console", "/sair").partial(&[303]);

pub(crate) const SIGN_IN_PAGE: Entry =
    Entry::for_page::<SignInPage>(PAGE_ROUTE, "Onde um membro entra no console.");
pub(crate) const SIGN_IN: Entry =
    Entry::for_page::<SignIn>(ROUTE, "O formulário de entrada do console.");
pub(crate) const SIGN_OUT: Entry =
    Entry::for_page::<SignOut>(OUT_ROUTE, "Encerra a sessão deste navegador.");

impl Page for SignInPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let back = ReturnPath::from_text(ctx.services, self.volta.as_deref());
        let cookies = ctx.origin.head.cookie.as_deref();
        if browser::authenticate(ctx.services, cookies).await.is_ok() {
            let to = links::href_to(ctx.services, back.as_str());
            return Ok(Reply::new(Content::Redirect(to)));
        }
        if first_access::can_create_first_admin(ctx.services).await? {
            let to = links::href_to(ctx.services, "/primeiro-acesso");
            return Ok(Reply::new(Content::Redirect(to)));
        }
        Ok(sign_in_form(ctx, &back, "", None))
    }
}

impl Page for SignIn {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let back = ReturnPath::from_text(ctx.services, self.volta.as_deref());
        let email_text = self.email.unwrap_or_default();
        let Ok(email) = email_text.trim().parse::<Email>() else {
            let wrong = Error::invalid_field("email", "format", "deve ser um e-mail");
            return Ok(sign_in_form(ctx, &back, &email_text, Some(&wrong)));
        };
        let password = self.password.unwrap_or_default();
        match browser::sign_in(ctx, &email, &password).await {
            Ok(cookie) => {
                let to = links::href_to(ctx.services, back.as_str());
                Ok(Reply::new(Content::Redirect(to)).with_header("set-cookie", cookie))
            }
            Err(error) if matches!(error.status(), 401 | 403 | 429) => {
                Ok(sign_in_form(ctx, &back, &email_text, Some(&error)))
            }
            Err(error) => Err(error),
        }
    }
}

impl Page for SignOut {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let cookie = browser::sign_out(ctx).await?;
        let to = links::href_to(ctx.services, PATH);
        Ok(Reply::new(Content::Redirect(to)).with_header("set-cookie", cookie))
    }
}

fn sign_in_form(ctx: &Context<'_>, back: &ReturnPath, email: &str, wrong: Option<&Error>) -> Reply {
    let at_issuer = match AtIssuer::create_link(ctx, back.as_str(), false) {
        Ok(at_issuer) => at_issuer,
        Err(error) => {
            let body = html! { h1 { "Entrar" } (error_notice(&error)) };
            return with_error_status(shell::bare_page(ctx.services, "Entrar", &body), &error);
        }
    };
    if let Some(issuer) = at_issuer {
        let body = html! {
            h1 { "Entrar" }
            p { "A senha é conferida pelo provedor de identidade da equipe, na página dele." }
            p { a class="button" href=(issuer.address) { "Entrar em " (issuer.host) } }
            (privacy_link(ctx))
        };
        return shell::bare_page(ctx.services, "Entrar", &body);
    }
    let is_embedded = ctx.services.identity.issuer().is_none();
    let body = html! {
        h1 { "Entrar" }
        @if let Some(error) = wrong { (error_notice(error)) }
        form method="post" action=(links::href_to(ctx.services, PATH)) class="stack" {
            input type="hidden" name="volta" value=(back);
            label class="field" {
                span { "E-mail" }
                input type="email" name="email" value=(email) autocomplete="username" required autofocus;
            }
            label class="field" {
                span { "Senha" }
                input type="password" name="password" autocomplete="current-password" required;
            }
            button type="submit" { "Entrar" }
        }
        @if is_embedded {
            p { a href=(links::href_to(ctx.services, forgotten_password::PATH)) { "Esqueci a senha" } }
            p { a href=(links::href_to(ctx.services, "/senha")) { "Trocar a senha" } }
            p class="soft" { "Sem convite ou sem senha? Peça um link novo a um admin da equipe." }
        }
        (privacy_link(ctx))
    };
    let reply = shell::bare_page(ctx.services, "Entrar", &body);
    match wrong {
        Some(error) => with_error_status(reply, error),
        None => reply,
    }
}

fn privacy_link(ctx: &Context<'_>) -> Markup {
    html! { p { a href=(links::href_to(ctx.services, PRIVACY_PATH)) { "Privacidade" } } }
}
