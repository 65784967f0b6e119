use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ALIAS, AUTHORIZATION_REFUSED, browser, clients, consent, error_description, mcp_endpoint_url,
    pages, redirect,
    request::{Request, response_url},
    server::AuthorizationServer,
};
use domain::{Error, sha256_hex};
use gateway::{Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use store::agents::clients::Client;

/// The authorization page, to which a client redirects the browser.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Authorize {
    /// Identificação do cliente: o endereço do documento dele, ou o que `/register` devolveu.
    #[schemars(length(max = 500))]
    client_id: Option<String>,
    /// Para onde a resposta vai; um dos endereços do cliente.
    #[schemars(length(max = 1000))]
    redirect_uri: Option<String>,
    /// Sempre `code`.
    #[schemars(length(max = 100))]
    response_type: Option<String>,
    /// Desafio PKCE do cliente.
    #[schemars(length(max = 200))]
    code_challenge: Option<String>,
    /// Sempre `S256`.
    #[schemars(length(max = 100))]
    code_challenge_method: Option<String>,
    /// Níveis ou permissões pedidas, separadas por espaço; ausente, todas.
    #[schemars(length(max = 1000))]
    scope: Option<String>,
    /// Valor do cliente, devolvido com a resposta.
    #[schemars(length(max = 3000))]
    state: Option<String>,
    /// Endereço MCP desta Pauta.
    #[schemars(length(max = 1000))]
    resource: Option<String>,
    /// `login` pede que a pessoa entre de novo.
    #[schemars(length(max = 100))]
    prompt: Option<String>,
}

const ROUTE: Spec = Spec::new(
    "authorize_agent_page",
    "Abrir a página de autorização de um agente",
    Verb::Get,
    "/authorize",
)
.access(Access::Public)
.serves(OutputForm::Html)
.partial(&[302])
.fails(&[400, 429, 500, 503])
.extension();

/// The table entry of the page.
pub(super) const AUTHORIZE: Entry = Entry::for_page::<Authorize>(
    ROUTE,
    "Onde uma pessoa entra e decide o que um agente pode fazer em nome dela (OAuth 2.1, com PKCE). \
     Um cliente leva a pessoa até aqui; a resposta vai para o `redirect_uri` dele.",
);

impl Page for Authorize {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let client = match self.require_client(ctx).await {
            Ok(client) => client,
            Err(error) if error.status() < 500 => return pages::render_error(&error),
            Err(error) => return Err(error),
        };
        let known = browser::browser_id(ctx).map(str::to_owned);
        let nonce = known.unwrap_or_else(browser::new_browser_id);
        let again = self.prompt.as_deref() == Some("login");
        let request = match self.into_request(ctx, &nonce) {
            Ok(request) => request,
            Err(wrong) => return wrong.into_reply(&client),
        };
        let reply = match browser::find_signed_in_member(ctx).await.filter(|_| !again) {
            Some((caller, session)) => {
                consent::render_page(ctx, request, &client, &caller, session, None).await?
            }
            None => consent::render_sign_in_page(ctx, request, &client, "", None, again)?,
        };
        Ok(reply.with_header(
            "set-cookie",
            browser::set_browser_cookie_header(ctx, &nonce),
        ))
    }
}

impl Authorize {
    /// Returns the client if it is known and has registered the redirect URI. Otherwise nothing may be
    /// sent to this URI.
    async fn require_client(&self, ctx: &Context<'_>) -> Result<Client> {
        let refused = |why: &'static str| Error::new(AUTHORIZATION_REFUSED).because(why);
        let id = self.client_id.as_deref().unwrap_or_default();
        if id.is_empty() {
            return Err(refused("O aplicativo não disse quem é (`client_id`)."));
        }
        let client = clients::resolve_client(ctx, &id.into()).await?;
        let uri = self.redirect_uri.as_deref().unwrap_or_default();
        if !redirect::is_registered_uri(&client.redirect_uris, uri) {
            return Err(refused(
                "O endereço de retorno (`redirect_uri`) não é um dos que o aplicativo declara.",
            ));
        }
        Ok(client)
    }

    /// Validates the other parameters of the request.
    fn into_request(self, ctx: &Context<'_>, nonce: &str) -> Result<Request, Wrong> {
        let url = &ctx.services.public_url;
        let redirect_uri = self.redirect_uri.unwrap_or_default();
        let wrong = |code: &str, why: &str| {
            let text = error_description(why);
            let parameters = [("error", code), ("error_description", &text)];
            Wrong {
                why: why.to_owned(),
                host: redirect::display_host(&redirect_uri),
                to: response_url(&redirect_uri, self.state.as_deref(), url, &parameters),
            }
        };
        if self.response_type.as_deref() != Some("code") {
            let why = "response_type deve ser code";
            return Err(wrong("unsupported_response_type", why));
        }
        let challenge = self.code_challenge.unwrap_or_default();
        if self.code_challenge_method.as_deref() != Some("S256") || !is_pkce_challenge(&challenge) {
            let why = "code_challenge com S256 deve ser informado";
            return Err(wrong("invalid_request", why));
        }
        if !is_own_resource(self.resource.as_deref(), url) {
            let why = format!("resource deve ser {}", mcp_endpoint_url(url));
            return Err(wrong("invalid_target", &why));
        }
        Ok(Request {
            client_id: self.client_id.unwrap_or_default().into(),
            redirect_uri,
            state: self.state,
            challenge,
            scope: self.scope,
            browser: sha256_hex(nonce.as_bytes()),
            session: None,
            at: ctx.now,
        })
    }
}

/// An invalid request: the reason, the host name of the client, and the redirect URI with the
/// error.
struct Wrong {
    why: String,
    host: String,
    to: String,
}

impl Wrong {
    /// Redirects to the client if a member has already authorized it. For any other client, replies with
    /// an error page: anybody can register a client, and would otherwise get a redirect from this
    /// service to any URL (RFC 9700, section 4.11.2). A link on the page reports the error to the
    /// client.
    fn into_reply(self, client: &Client) -> Result<Reply> {
        if client.used_at.is_some() {
            return Ok(Reply::new(Content::Redirect(self.to)).with_status(302));
        }
        let error = Error::new(AUTHORIZATION_REFUSED).because(format!(
            "O pedido de “{}” tem um erro: {}.",
            client.name, self.why
        ));
        pages::render_error_with_link(&error, Some((&self.host, &self.to)))
    }
}

/// True if the text has the format of a base64url-encoded SHA-256.
fn is_pkce_challenge(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    text.len() == 43 && text.bytes().all(plain)
}

/// True if the `resource` parameter is the MCP endpoint of this service, at either of its paths.
/// The query (which selects tools), a trailing slash and the case of the host are ignored.
pub(super) fn is_own_resource(given: Option<&str>, public_url: &str) -> bool {
    let plain = |text: &str| {
        let mut url = url::Url::parse(text).ok()?;
        let marked = url.fragment().is_some() || !url.username().is_empty();
        url.set_query(None);
        let text = url.as_str().trim_end_matches('/').to_owned();
        (!marked).then_some(text)
    };
    let ours = [mcp_endpoint_url(public_url), format!("{public_url}{ALIAS}")];
    let given = given.and_then(plain);
    given.is_some() && ours.iter().any(|ours| given == plain(ours))
}

/// True if clients may identify themselves by the URL of a metadata document.
pub(super) fn accepts_documents(ctx: &Context<'_>) -> bool {
    AuthorizationServer::from_context(ctx).fetches_documents()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_mcp_endpoint_of_this_service_is_accepted_as_the_resource() {
        let url = "https://pauta.test/casa";
        for ours in [
            "https://pauta.test/casa/api/mcp",
            "https://pauta.test/casa/mcp",
            "https://PAUTA.test/casa/api/mcp/",
            "https://pauta.test:443/casa/api/mcp?toolsets=workflow",
        ] {
            assert!(is_own_resource(Some(ours), url), "{ours}");
        }
        for other in [
            "https://pauta.test/api/mcp",
            "https://pauta.test/mcp",
            "https://pauta.test/casa",
            "http://pauta.test/casa/api/mcp",
            "https://outra.test/casa/api/mcp",
            "https://pauta.test/casa/api/mcp#x",
            "",
        ] {
            assert!(!is_own_resource(Some(other), url), "{other}");
        }
        assert!(!is_own_resource(None, url));
    }
}
