//! The browser that shows an authorization page, and the member who is signed in there.

use domain::{random_text, time::SECOND};
use gateway::{Context, Principal};

use super::request::LIFETIME;
use crate::browser;

const BROWSER: &str = "pauta_navegador";

/// Returns the random value that identifies this browser, from its cookie.
pub(super) fn browser_id<'a>(ctx: &Context<'a>) -> Option<&'a str> {
    let cookies = ctx.origin.head.cookie.as_deref();
    browser::find_cookie(ctx.services, cookies, BROWSER, "/").filter(|value| value.len() == 43)
}

/// Generates the identifying value of a browser that has none.
pub(super) fn new_browser_id() -> String {
    random_text::<32>()
}

/// Returns the `Set-Cookie` header for the value. Browsers do not send the cookie with a form of another
/// site. Its path is `/`, because only such a cookie can be protected from sibling domains
/// (`browser::set_cookie_header`).
pub(super) fn set_browser_cookie_header(ctx: &Context<'_>, value: &str) -> String {
    browser::set_cookie_header(ctx.services, BROWSER, value, "/", LIFETIME / SECOND)
}

/// Finds the member who is signed in in this browser, and the id of the session as text. `None` if there
/// is no valid session.
pub(super) async fn find_signed_in_member(ctx: &Context<'_>) -> Option<(Principal, String)> {
    let cookies = ctx.origin.head.cookie.as_deref();
    let caller = browser::authenticate(ctx.services, cookies)
        .await
        .ok()?
        .caller;
    let session = caller.session_id()?.to_string();
    Some((caller, session))
}
