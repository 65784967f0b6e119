//! An authorization request, from the client's redirect to the member's decision.
//!
//! Between the pages the request is in a hidden field, signed and bound to the browser that opened
//! it. So anonymous callers store no rows, and no other site can submit the forms.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use url::form_urlencoded::Serializer;

use super::{AUTHORIZATION_REFUSED, mcp_endpoint_url, redirect};
use crate::browser::is_same_origin;
use domain::{
    ClientId, Error, Result, hex, sha256_hex,
    time::{MINUTE, Millis},
};
use gateway::Context;

/// Time limit from the first page to the decision.
pub(super) const LIFETIME: Millis = 30 * MINUTE;

const PURPOSE: &str = "authorization request";

/// An authorization request whose client and redirect URI have been checked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Request {
    pub client_id: ClientId,
    pub redirect_uri: String,
    pub state: Option<String>,
    pub challenge: String,
    pub scope: Option<String>,
    /// The SHA-256 of the cookie of the browser that opened the request.
    pub browser: String,
    /// The session of the member who decides; `None` before sign-in.
    pub session: Option<String>,
    pub at: Millis,
}

impl Request {
    /// Returns the signed text of the request, for a hidden field.
    pub(super) fn to_signed_text(&self, ctx: &Context<'_>) -> Result<String> {
        let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(self)?);
        let signature = payload_signature(ctx, &payload);
        Ok(format!("{payload}.{signature}"))
    }

    /// Verifies the text from the hidden field of a form.
    ///
    /// Fails with 400 if its signature is wrong, it is too old, or it was opened in another
    /// browser.
    pub(super) fn verify(ctx: &Context<'_>, text: &str, browser: Option<&str>) -> Result<Self> {
        let refused = || {
            Error::new(AUTHORIZATION_REFUSED).because(
                "Esta página expirou ou foi aberta em outro navegador. Volte ao aplicativo e comece \
                 de novo.",
            )
        };
        if !is_sent_from_here(ctx) {
            return Err(refused());
        }
        let (payload, signature) = text.split_once('.').ok_or_else(refused)?;
        let expected = payload_signature(ctx, payload);
        if !bool::from(expected.as_bytes().ct_eq(signature.as_bytes())) {
            return Err(refused());
        }
        let json = URL_SAFE_NO_PAD.decode(payload).map_err(|_| refused())?;
        let request: Self = serde_json::from_slice(&json).map_err(|_| refused())?;
        let browser = sha256_hex(browser.ok_or_else(refused)?.as_bytes());
        if request.browser != browser || request.at + LIFETIME <= ctx.now {
            return Err(refused());
        }
        Ok(request)
    }

    /// Returns the path and query of the authorization page for this request, below the public URL.
    pub(super) fn authorization_path(&self, public_url: &str) -> String {
        let address = self.authorization_url(public_url);
        address[public_url.len()..].to_owned()
    }

    /// Returns the URL of the authorization page for this request.
    pub(super) fn authorization_url(&self, public_url: &str) -> String {
        let mut parameters = vec![
            ("response_type", "code"),
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", &*self.redirect_uri),
            ("code_challenge", &*self.challenge),
            ("code_challenge_method", "S256"),
        ];
        let resource = mcp_endpoint_url(public_url);
        parameters.push(("resource", &resource));
        let optional = [("state", &self.state), ("scope", &self.scope)];
        let given = optional
            .iter()
            .filter_map(|(name, value)| Some((*name, value.as_deref()?)));
        parameters.extend(given);
        authorize_url(public_url, &parameters)
    }

    /// Returns the client's redirect URI with a response, including the issuer (RFC 9207).
    pub(super) fn response_url(&self, public_url: &str, parameters: &[(&str, &str)]) -> String {
        response_url(
            &self.redirect_uri,
            self.state.as_deref(),
            public_url,
            parameters,
        )
    }
}

/// Returns a redirect URI with a response.
pub(super) fn response_url(
    redirect_uri: &str,
    state: Option<&str>,
    public_url: &str,
    parameters: &[(&str, &str)],
) -> String {
    let mut all = parameters.to_vec();
    all.extend(state.map(|state| ("state", state)));
    all.push(("iss", public_url));
    redirect::with_parameters(redirect_uri, &all)
}

fn authorize_url(public_url: &str, parameters: &[(&str, &str)]) -> String {
    let query = Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    format!("{public_url}/authorize?{query}")
}

fn payload_signature(ctx: &Context<'_>, payload: &str) -> String {
    hex(&ctx.services.keys.hmac(PURPOSE, payload.as_bytes()))
}

/// True if a form was sent from a page of this service, or if the browser sends no header that
/// shows its origin.
fn is_sent_from_here(ctx: &Context<'_>) -> bool {
    let head = &ctx.origin.head;
    let says_nothing = head.origin.is_none() && head.fetch_site.is_none();
    says_nothing || is_same_origin(ctx.services, head)
}
