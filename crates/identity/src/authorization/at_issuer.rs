//! Sign-in at a hosted issuer: redirects the browser to the issuer's sign-in page and handles the
//! callback (OpenID Connect, authorization code flow with PKCE).
//!
//! The `state` parameter contains the page to show after sign-in. It is signed and bound to a
//! cookie of the browser; the nonce and the PKCE verifier are derived from it. So nothing is stored
//! for anonymous callers. The issuer accepts each code once.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::{AUTHORIZATION_REFUSED, pages};
use crate::{
    HostedSessions, browser, entrance,
    hosted::{Entrance, sign_in_disabled_error},
    returning::{self, ReturnPath},
};
use domain::{
    random_text, sha256_hex,
    time::{MINUTE, Millis, SECOND},
};
use gateway::{
    Access, Content, Context, Entry, Error, OutputForm, Page, Reply, Result, Spec, Verb,
};
use ports::SignInRequest;

/// The path that redirects to the issuer, below the public URL.
const LEAVE: &str = "/entrar/provedor";
/// The path to which the issuer redirects, below the public URL.
const RETURN: &str = "/entrar/retorno";

/// The name of the cookie to which the `state` is bound.
const COOKIE: &str = "pauta_provedor";
/// Time limit for the sign-in at the issuer.
const LIFETIME: Millis = 10 * MINUTE;

/// A link from a page of this service to the issuer's sign-in page.
#[derive(Debug, Serialize)]
pub struct AtIssuer {
    /// The URL of the link.
    pub address: String,
    /// The issuer's host name, shown to the user.
    pub host: String,
}

impl AtIssuer {
    /// Creates the link; `None` if the issuer has no sign-in page. After sign-in the browser
    /// returns to the path `back`. If `again` is set, the issuer asks for a sign-in even if it has
    /// a session.
    ///
    /// Fails with 500 if browser sign-in is disabled.
    pub fn create_link(ctx: &Context<'_>, back: &str, again: bool) -> Result<Option<Self>> {
        let Some(sessions) = ctx.services.parts.find::<HostedSessions>() else {
            return Ok(None);
        };
        match &sessions.entrance {
            Entrance::Form => Ok(None),
            Entrance::Closed => Err(sign_in_disabled_error()),
            Entrance::Page { .. } => {
                let mut address = returning::page_url_with_return_path(ctx, LEAVE, back);
                if again {
                    address.push_str("&outra=true");
                }
                let url = url::Url::parse(&sessions.issuer).ok();
                let host = url.and_then(|url| Some(url.host_str()?.to_owned()));
                let host = host.unwrap_or_default();
                Ok(Some(Self { address, host }))
            }
        }
    }
}

/// The route that redirects the browser to the issuer.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SignInAtIssuer {
    /// Para onde ir depois: um caminho desta Pauta.
    #[schemars(length(max = 8000))]
    volta: Option<String>,
    /// Se o provedor pergunta de novo quem é, mesmo que já saiba.
    #[serde(default)]
    outra: bool,
}

/// The callback route, to which the issuer redirects the browser.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReturnFromIssuer {
    /// Código do provedor.
    #[schemars(length(max = 4000))]
    code: Option<String>,
    /// O valor com que a pessoa foi enviada.
    #[schemars(length(max = 16000))]
    state: Option<String>,
    /// Quem responde.
    #[schemars(length(max = 1000))]
    iss: Option<String>,
    /// Por que a pessoa não entrou.
    #[schemars(length(max = 200))]
    error: Option<String>,
    /// Aceito, e ignorado.
    #[serde(rename = "error_description")]
    #[schemars(length(max = 4000))]
    #[expect(dead_code, reason = "issuers send it; the page shows our own text")]
    description: Option<String>,
    /// Aceito, e ignorado.
    #[serde(rename = "session_state")]
    #[schemars(length(max = 1000))]
    #[expect(dead_code, reason = "some issuers send it")]
    session: Option<String>,
}

const fn page_spec(name: &'static str, title: &'static str, path: &'static str) -> Spec {
    Spec::new(name, title, Verb::Get, path)
        .access(Access::Public)
        .serves(OutputForm::Html)
        .fails(&[400, 401, 403, 404, 500, 503])
        .extension()
}

/// The table entry of the route to the issuer.
pub(super) const SIGN_IN_AT_ISSUER: Entry = Entry::for_page::<SignInAtIssuer>(
    page_spec(
        "sign_in_at_issuer",
        "Entrar pelo provedor de identidade",
        LEAVE,
    )
    .partial(&[303]),
    "Leva a pessoa à página de entrada do provedor de identidade (OpenID Connect, com PKCE); 404 sem um.",
);
/// The table entry of the callback route.
pub(super) const RETURN_FROM_ISSUER: Entry = Entry::for_page::<ReturnFromIssuer>(
    page_spec(
        "return_from_issuer",
        "Voltar do provedor de identidade",
        RETURN,
    )
    .partial(&[303])
    .outside()
    .unkeyed(),
    "Aonde o provedor de identidade devolve a pessoa. Confere o estado, troca o código, confere o token \
     de identidade e entra neste navegador.",
);

/// The content of the `state` parameter.
#[derive(Serialize, Deserialize)]
struct State {
    back: String,
    /// The SHA-256 of the browser's cookie.
    browser: String,
    at: Millis,
}

impl Page for SignInAtIssuer {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let (sessions, _) = match require_issuer(ctx) {
            Ok(found) => found,
            Err(error) => return pages::render_error(&error),
        };
        let value = random_text::<32>();
        let state = State {
            back: ReturnPath::from_text(ctx.services, self.volta.as_deref()).to_string(),
            browser: sha256_hex(value.as_bytes()),
            at: ctx.now,
        };
        let state = state.to_signed_text(ctx)?;
        let redirect_uri = returning::to_url(ctx.services, RETURN);
        let request = SignInRequest {
            redirect_uri: &redirect_uri,
            state: &state,
            nonce: &derive_hmac(ctx, "issuer sign-in nonce", &state),
            verifier: &derive_hmac(ctx, "issuer sign-in verifier", &state),
            again: self.outra,
        };
        match sessions.at_issuer.sign_in_url(request).await {
            Ok(page) => {
                let seconds = LIFETIME / SECOND;
                let cookie = browser::set_cookie_header(ctx.services, COOKIE, &value, "/", seconds);
                Ok(Reply::new(Content::Redirect(page)).with_header("set-cookie", cookie))
            }
            Err(error) => pages::render_error(&error),
        }
    }
}

impl Page for ReturnFromIssuer {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        match self.complete_sign_in(ctx).await {
            Ok((to, cookie)) => {
                Ok(Reply::new(Content::Redirect(to)).with_header("set-cookie", cookie))
            }
            Err(error) => pages::render_error(&error),
        }
    }
}

impl ReturnFromIssuer {
    /// Completes the sign-in. Returns the URL of the next page and the cookie of the new session.
    async fn complete_sign_in(self, ctx: &Context<'_>) -> Result<(String, String)> {
        let (sessions, client_id) = require_issuer(ctx)?;
        let text = self.state.unwrap_or_default();
        let state = State::verify(ctx, &text).ok_or_else(|| {
            sign_in_error(
                "Esta entrada expirou ou começou em outro navegador. Volte aonde estava e entre de novo.",
            )
        })?;
        if self.iss.is_some_and(|iss| iss != sessions.issuer) {
            return Err(sign_in_error(
                "A resposta veio de outro provedor de identidade.",
            ));
        }
        if let Some(error) = self.error {
            tracing::info!(code = %sanitize_code(&error), "o provedor de identidade não concluiu a entrada");
            return Err(sign_in_error(
                "O provedor de identidade não concluiu a entrada. Tente de novo.",
            ));
        }
        let code = self.code.filter(|code| !code.is_empty());
        let code = code
            .ok_or_else(|| sign_in_error("O provedor de identidade não respondeu como devia."))?;
        let verifier = derive_hmac(ctx, "issuer sign-in verifier", &text);
        let redirect_uri = returning::to_url(ctx.services, RETURN);
        let token = sessions
            .at_issuer
            .exchange_code(&code, &verifier, &redirect_uri)
            .await?;
        let expired = "O provedor de identidade não reconhece mais esta entrada. Tente de novo.";
        let token = token.ok_or_else(|| sign_in_error(expired))?;
        let nonce = derive_hmac(ctx, "issuer sign-in nonce", &text);
        let entered =
            entrance::sign_in_with_id_token(ctx, sessions, &token, client_id, &nonce).await?;
        let entered =
            entered.ok_or_else(|| sign_in_error("O token de identidade é de outra entrada."))?;
        let cookie =
            browser::cookie_for_new_session(ctx.services, entered.user_id, entered.family_id);
        let back = ReturnPath::from_text(ctx.services, Some(&state.back));
        Ok((back.to_url(ctx.services), cookie))
    }
}

/// Returns the hosted issuer, and the client id of this service at the issuer.
///
/// Fails with 404 if accounts are embedded or the issuer has no sign-in page, and with 500 if browser
/// sign-in is disabled.
fn require_issuer<'c>(ctx: &Context<'c>) -> Result<(&'c HostedSessions, &'c str)> {
    let absent = || Error::not_found("página de entrada do provedor de identidade");
    let sessions = ctx.services.parts.find::<HostedSessions>();
    let sessions = sessions.ok_or_else(absent)?;
    match &sessions.entrance {
        Entrance::Page { client_id } => Ok((sessions, client_id)),
        Entrance::Form => Err(absent()),
        Entrance::Closed => Err(sign_in_disabled_error()),
    }
}

impl State {
    fn to_signed_text(&self, ctx: &Context<'_>) -> Result<String> {
        let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(self)?);
        let signature = derive_hmac(ctx, "issuer sign-in state", &payload);
        Ok(format!("{payload}.{signature}"))
    }

    /// Verifies a `state`; `None` if it has a wrong signature, is too old, or belongs to another
    /// browser.
    fn verify(ctx: &Context<'_>, text: &str) -> Option<Self> {
        let (payload, signature) = text.split_once('.')?;
        let expected = derive_hmac(ctx, "issuer sign-in state", payload);
        if !bool::from(expected.as_bytes().ct_eq(signature.as_bytes())) {
            return None;
        }
        let state: Self = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
        let cookies = ctx.origin.head.cookie.as_deref();
        let cookie = browser::find_cookie(ctx.services, cookies, COOKIE, "/")?;
        let own = sha256_hex(cookie.as_bytes()) == state.browser;
        (own && state.at + LIFETIME > ctx.now).then_some(state)
    }
}

/// Returns the HMAC of the text with a key of this service. Only this service can compute it.
fn derive_hmac(ctx: &Context<'_>, purpose: &str, text: &str) -> String {
    URL_SAFE_NO_PAD.encode(ctx.services.keys.hmac(purpose, text.as_bytes()))
}

fn sign_in_error(why: &'static str) -> Error {
    Error::new(AUTHORIZATION_REFUSED).because(why)
}

/// Sanitises the error code from the issuer for the log.
fn sanitize_code(code: &str) -> String {
    let kept = code
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_');
    kept.take(60).collect()
}
