//! The pages on which a person changes their password, or sets it with an invitation, before they
//! sign in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pages;
use crate::{
    browser,
    operations::{change_password, redeem_invite},
    returning::{self, ReturnPath},
};
use domain::{Email, Error};
use gateway::{
    Access, Content, Context, Entry, InputForm, OutputForm, Page, Reply, Result, Spec, Verb,
};

/// The path of the page that changes a password, below the public URL.
pub(super) const CHANGE: &str = "/senha";
/// The path of the page that redeems an invitation, below the public URL.
pub(super) const REDEEM: &str = "/senha/convite";

/// The page with the form to change the password.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PasswordPage {
    /// Para onde ir depois: um caminho desta Pauta.
    #[schemars(length(max = 8000))]
    volta: Option<String>,
}

/// The page with the form to set a password with an invitation.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PastedInvitationPage {
    /// Para onde ir depois: um caminho desta Pauta.
    #[schemars(length(max = 8000))]
    volta: Option<String>,
}

/// The form that changes the password.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ChangePassword {
    /// Para onde ir depois: um caminho desta Pauta.
    #[schemars(length(max = 8000))]
    volta: Option<String>,
    /// E-mail do membro.
    #[schemars(length(max = 254))]
    email: Option<String>,
    /// Senha atual.
    #[schemars(length(max = 256))]
    atual: Option<String>,
    /// Senha nova: ao menos 12 caracteres.
    #[schemars(length(max = 256))]
    nova: Option<String>,
    /// A senha nova outra vez.
    #[schemars(length(max = 256))]
    repetida: Option<String>,
}

/// The form that sets a password with an invitation.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RedeemPasted {
    /// Para onde ir depois: um caminho desta Pauta.
    #[schemars(length(max = 8000))]
    volta: Option<String>,
    /// O link do convite, ou o que vem nele depois de `#`.
    #[schemars(length(max = 1000))]
    convite: Option<String>,
    /// Senha nova: ao menos 12 caracteres.
    #[schemars(length(max = 256))]
    nova: Option<String>,
    /// A senha nova outra vez.
    #[schemars(length(max = 256))]
    repetida: Option<String>,
}

const fn page_route(name: &'static str, title: &'static str, path: &'static str) -> Spec {
    Spec::new(name, title, Verb::Get, path)
        .access(Access::Public)
        .serves(OutputForm::Html)
        .fails(&[400, 404, 500])
        .extension()
}

const fn form_route(name: &'static str, title: &'static str, path: &'static str) -> Spec {
    Spec::new(name, title, Verb::Post, path)
        .access(Access::Public)
        .takes(InputForm::UrlEncoded)
        .serves(OutputForm::Html)
        .partial(&[303])
        .fails(&[400, 401, 403, 404, 413, 415, 429, 500, 503])
        .extension()
        .outside()
        .unkeyed()
}

/// The table entry of the page that changes a password.
pub(super) const CHANGE_PAGE: Entry = Entry::for_page::<PasswordPage>(
    page_route("password_page", "Abrir a página de troca de senha", CHANGE),
    "A página em que uma pessoa troca a própria senha.",
);
pub(super) const CHANGE_PASSWORD: Entry = Entry::for_page::<ChangePassword>(
    form_route(
        "change_password_on_page",
        "Trocar a senha na página",
        CHANGE,
    ),
    "O formulário da troca de senha: e-mail, senha atual e nova. Encerra as outras sessões e entra \
     neste navegador.",
);
pub(super) const REDEEM_PAGE: Entry = Entry::for_page::<PastedInvitationPage>(
    page_route(
        "pasted_invitation_page",
        "Abrir a página de convite colado",
        REDEEM,
    ),
    "A página em que uma pessoa convidada cola o link do convite e define a senha, no caminho da \
     entrada.",
);
pub(super) const REDEEM_PASTED: Entry = Entry::for_page::<RedeemPasted>(
    form_route(
        "redeem_pasted_invitation",
        "Definir a senha com um convite colado",
        REDEEM,
    ),
    "O formulário do convite colado: o link e a senha nova. Entra neste navegador.",
);

#[derive(Serialize)]
struct Shown<'a> {
    title: &'static str,
    invited: bool,
    action: String,
    back: &'a str,
    back_at: String,
    email: &'a str,
    problem: Option<String>,
}

/// Renders one of the two pages. `wrong` is the error of the last submission.
fn render_form(
    ctx: &Context<'_>,
    path: &'static str,
    back: &ReturnPath,
    email: &str,
    wrong: Option<&Error>,
) -> Result<Reply> {
    let invited = path == REDEEM;
    let shown = Shown {
        title: match invited {
            true => "Definir a senha",
            false => "Trocar a senha",
        },
        invited,
        action: returning::to_url(ctx.services, path),
        back: back.as_str(),
        back_at: back.to_url(ctx.services),
        email,
        problem: wrong.map(pages::problem_text),
    };
    let reply = pages::render_template("password", shown, None)?;
    Ok(match wrong {
        Some(error) => pages::with_error_status(reply, error),
        None => reply,
    })
}

impl Page for PasswordPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let back = ReturnPath::from_text(ctx.services, self.volta.as_deref());
        match require_embedded(ctx) {
            Ok(()) => render_form(ctx, CHANGE, &back, "", None),
            Err(error) => pages::render_error(&error),
        }
    }
}

impl Page for PastedInvitationPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let back = ReturnPath::from_text(ctx.services, self.volta.as_deref());
        match require_embedded(ctx) {
            Ok(()) => render_form(ctx, REDEEM, &back, "", None),
            Err(error) => pages::render_error(&error),
        }
    }
}

impl Page for ChangePassword {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let back = ReturnPath::from_text(ctx.services, self.volta.as_deref());
        let given = self.email.unwrap_or_default();
        let changed = async {
            require_embedded(ctx)?;
            require_same_origin_form(ctx)?;
            let email = given.trim().parse::<Email>();
            let email = email.map_err(|_| form_error("Confira o e-mail."))?;
            let new = require_equal_passwords(self.nova, self.repetida)?;
            let current = self.atual.unwrap_or_default();
            change_password::run(ctx, &email, &current, &new).await
        };
        match changed.await {
            Ok(session) => sign_in_and_redirect(ctx, &back, session.access_token()),
            Err(error) if error.status() < 500 => {
                render_form(ctx, CHANGE, &back, &given, Some(&error))
            }
            Err(error) => Err(error),
        }
    }
}

impl Page for RedeemPasted {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let back = ReturnPath::from_text(ctx.services, self.volta.as_deref());
        let redeemed = async {
            require_embedded(ctx)?;
            require_same_origin_form(ctx)?;
            let given = self.convite.unwrap_or_default();
            let token = given.rsplit('#').next().unwrap_or_default().trim();
            let new = require_equal_passwords(self.nova, self.repetida)?;
            redeem_invite::run(ctx, token, &new, false).await
        };
        match redeemed.await {
            Ok(session) => sign_in_and_redirect(ctx, &back, session.access_token()),
            Err(error) if error.status() < 500 => render_form(ctx, REDEEM, &back, "", Some(&error)),
            Err(error) => Err(error),
        }
    }
}

/// Fails with 404 if a hosted issuer stores the passwords.
fn require_embedded(ctx: &Context<'_>) -> Result<()> {
    match ctx.services.identity.issuer() {
        None => Ok(()),
        Some(_) => Err(Error::not_found("senha: ela é do provedor de identidade")),
    }
}

/// Sets the session cookie of the browser and redirects to the return path.
fn sign_in_and_redirect(ctx: &Context<'_>, back: &ReturnPath, access_token: &str) -> Result<Reply> {
    let cookie = browser::cookie_for_session_token(ctx.services, access_token)?;
    let to = back.to_url(ctx.services);
    Ok(Reply::new(Content::Redirect(to)).with_header("set-cookie", cookie))
}

/// Fails with 400 if the form was sent from another site, because that site could sign this browser
/// in as another person.
fn require_same_origin_form(ctx: &Context<'_>) -> Result<()> {
    if browser::is_same_origin(ctx.services, &ctx.origin.head) {
        return Ok(());
    }
    Err(form_error(
        "Este formulário veio de outro site. Tente de novo por esta página.",
    ))
}

fn require_equal_passwords(new: Option<String>, again: Option<String>) -> Result<String> {
    let new = new.unwrap_or_default();
    if new.is_empty() {
        return Err(form_error("Escreva a senha nova."));
    }
    if again.unwrap_or_default() != new {
        return Err(form_error("As duas senhas novas são diferentes."));
    }
    Ok(new)
}

fn form_error(message: &'static str) -> Error {
    Error::new(domain::Code::INVALID_INPUT).because(message)
}
