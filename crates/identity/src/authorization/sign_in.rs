use schemars::JsonSchema;
use serde::Deserialize;

use super::{browser, clients, consent, pages, request::Request};
use domain::Email;
use gateway::{
    Access, Content, Context, Entry, InputForm, OutputForm, Page, Reply, Result, Spec, Verb,
};

/// The form with which a person signs in before the consent page.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SignIn {
    /// O pedido do cliente, da página de autorização.
    #[schemars(length(max = 12000))]
    pedido: Option<String>,
    /// E-mail do membro.
    #[schemars(length(max = 254))]
    email: Option<String>,
    /// Senha do membro.
    #[schemars(length(max = 256))]
    password: Option<String>,
}

const ROUTE: Spec = Spec::new(
    "sign_in_to_authorize",
    "Entrar na página de autorização",
    Verb::Post,
    consent::SIGN_IN,
)
.access(Access::Public)
.takes(InputForm::UrlEncoded)
.serves(OutputForm::Html)
.partial(&[303])
.fails(&[400, 401, 403, 413, 415, 429, 500, 503])
.extension()
.outside()
.unkeyed();

/// The table entry of the form.
pub(super) const SIGN_IN: Entry = Entry::for_page::<SignIn>(
    ROUTE,
    "O formulário de entrada da página de autorização: e-mail e senha, no mesmo navegador em que ela \
     foi aberta. Leva de volta à página.",
);

impl Page for SignIn {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let sealed = self.pedido.unwrap_or_default();
        let request = match Request::verify(ctx, &sealed, browser::browser_id(ctx)) {
            Ok(request) => request,
            Err(error) => return pages::render_error(&error),
        };
        let client = match clients::resolve_client(ctx, &request.client_id).await {
            Ok(client) => client,
            Err(error) if error.status() < 500 => return pages::render_error(&error),
            Err(error) => return Err(error),
        };
        let given = self.email.unwrap_or_default();
        let Ok(email) = given.parse::<Email>() else {
            let problem = "Confira o e-mail.";
            let page =
                consent::render_sign_in_page(ctx, request, &client, &given, Some(problem), false)?;
            return Ok(page.with_status(400));
        };
        let password = self.password.unwrap_or_default();
        let opened = crate::browser::sign_in(ctx, &email, &password).await;
        match opened {
            Ok(cookie) => {
                let back = request.authorization_url(&ctx.services.public_url);
                Ok(Reply::new(Content::Redirect(back)).with_header("set-cookie", cookie))
            }
            Err(error) if matches!(error.status(), 401 | 403 | 429) => {
                let problem = Some(pages::problem_text(&error));
                let problem = problem.as_deref();
                let page =
                    consent::render_sign_in_page(ctx, request, &client, &given, problem, false)?;
                Ok(pages::with_error_status(page, &error))
            }
            Err(error) => Err(error),
        }
    }
}
