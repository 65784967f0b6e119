//! The cookies of the pages: which browser it is, and who has signed in there.
//!
//! They are sent to these pages only, and never with a form of another site (`SameSite=Lax`). The
//! second one is a session of the embedded identity, so signing out everywhere, a new password and
//! offboarding end it too.

use domain::{SessionId, random_text, time::SECOND};
use gateway::{Context, Credential, Principal};
use url::Url;

use super::request::LIFETIME;
use crate::{authenticate, session};

const BROWSER: &str = "pauta_navegador";
const SESSION: &str = "pauta_entrada";

/// The value that tells this browser from others, if it has one.
pub(super) fn known<'a>(ctx: &Context<'a>) -> Option<&'a str> {
    given(ctx.origin.asked.cookie.as_deref(), BROWSER).filter(|value| value.len() == 43)
}

/// A value for a browser without one.
pub(super) fn fresh() -> String {
    random_text::<32>()
}

/// The cookie that keeps the value.
pub(super) fn cookie(ctx: &Context<'_>, value: &str) -> String {
    set(ctx, BROWSER, value, LIFETIME / SECOND)
}

/// The cookie that keeps a session.
pub(super) fn session_cookie(ctx: &Context<'_>, access_token: &str) -> String {
    set(ctx, SESSION, access_token, session::LIFETIME / SECOND)
}

/// Deletes the session's cookie.
pub(super) fn no_session_cookie(ctx: &Context<'_>) -> String {
    set(ctx, SESSION, "", 0)
}

/// Who has signed in in this browser, and the session.
pub(super) async fn signed_in(ctx: &Context<'_>) -> Option<(Principal, SessionId)> {
    let token = given(ctx.origin.asked.cookie.as_deref(), SESSION)?;
    let caller = authenticate::session(ctx.services, token).await.ok()?;
    match &caller.credential {
        Credential::Session {
            family_id: Some(family),
        } => {
            let family = family.clone();
            Some((caller, family))
        }
        _ => None,
    }
}

fn set(ctx: &Context<'_>, name: &str, value: &str, seconds: i64) -> String {
    let url = Url::parse(&ctx.services.public_url).ok();
    let base = url
        .as_ref()
        .map_or("", |url| url.path().trim_end_matches('/'));
    let secure = match &url {
        Some(url) if url.scheme() == "https" => "; Secure",
        _ => "",
    };
    format!(
        "{name}={value}; Path={base}/authorize; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    )
}

/// The value of a cookie; `None` where it is absent or given twice.
fn given<'a>(cookies: Option<&'a str>, name: &str) -> Option<&'a str> {
    let pairs = cookies?
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(given, _)| *given == name);
    match (values.next(), values.next()) {
        (Some((_, value)), None) if !value.is_empty() => Some(value),
        _ => None,
    }
}
