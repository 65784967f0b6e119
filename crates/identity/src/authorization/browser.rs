//! The browser that shows a page, and the person signed in there.

use domain::{random_text, time::SECOND};
use gateway::{Context, Principal};

use super::request::LIFETIME;
use crate::browser;

const BROWSER: &str = "pauta_navegador";

/// The value that identifies this browser, if it has one.
pub(super) fn known<'a>(ctx: &Context<'a>) -> Option<&'a str> {
    let cookies = ctx.origin.head.cookie.as_deref();
    browser::cookie(ctx.services, cookies, BROWSER, "/").filter(|value| value.len() == 43)
}

/// Creates a value for a browser that has none.
pub(super) fn fresh() -> String {
    random_text::<32>()
}

/// The cookie that stores the value. Browsers never send it with a form of another site. It covers
/// the whole service, because only such a cookie can be protected from sibling domains
/// (`browser::header`).
pub(super) fn cookie(ctx: &Context<'_>, value: &str) -> String {
    browser::header(ctx.services, BROWSER, value, "/", LIFETIME / SECOND)
}

/// The person signed in in this browser and their session.
pub(super) async fn signed_in(ctx: &Context<'_>) -> Option<(Principal, String)> {
    let cookies = ctx.origin.head.cookie.as_deref();
    let caller = browser::session(ctx.services, cookies).await.ok()?.caller;
    let session = caller.session_id()?.to_string();
    Some((caller, session))
}
