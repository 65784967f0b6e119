//! Shows a secret once. The page that creates the secret redirects to the page that shows it. The
//! secret is sent in an encrypted cookie, which the second page deletes. A reload neither shows the
//! secret again nor creates another one.

use domain::time::{MINUTE, Millis, SECOND};
use gateway::{Content, Reply, Result};
use identity::browser;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::view::View;

const COOKIE: &str = "pauta_segredo";
const PURPOSE: &str = "secret shown once";
const LIFETIME: Millis = 2 * MINUTE;

#[derive(Serialize, Deserialize)]
struct Kept<T> {
    until: Millis,
    value: T,
}

/// Redirects to the page at `path`, which shows the value once.
pub(super) fn redirect_with_value<T: Serialize>(
    view: &View<'_>,
    path: &str,
    value: T,
) -> Result<Reply> {
    let until = view.ctx.now + LIFETIME;
    let plain = serde_json::to_vec(&Kept { until, value })?;
    let services = view.ctx.services;
    let sealed = services
        .keys
        .seal(PURPOSE, &cookie_owner(view, path), &plain)?;
    let cookie = browser::set_cookie_header(services, COOKIE, &sealed, path, LIFETIME / SECOND);
    Ok(Reply::new(Content::Redirect(view.href_to(path))).with_header("set-cookie", cookie))
}

/// Returns the value that the page at `path` shows to this member. `None` if there is no cookie with a
/// value, or the value has expired.
pub(super) fn read_value<T: DeserializeOwned>(view: &View<'_>, path: &str) -> Option<T> {
    let services = view.ctx.services;
    let cookies = view.ctx.origin.head.cookie.as_deref();
    let sealed = browser::find_cookie(services, cookies, COOKIE, path)?;
    let keys = &services.keys;
    let plain = keys.open(PURPOSE, &cookie_owner(view, path), sealed).ok()?;
    let kept: Kept<T> = serde_json::from_slice(&plain).ok()?;
    (view.ctx.now < kept.until).then_some(kept.value)
}

/// Deletes the cookie of the page at `path`.
pub(super) fn delete_cookie(view: &View<'_>, path: &str, page: Reply) -> Reply {
    let gone = browser::set_cookie_header(view.ctx.services, COOKIE, "", path, 0);
    page.with_header("set-cookie", gone)
}

fn cookie_owner(view: &View<'_>, path: &str) -> String {
    format!("{}{path}", view.member().id)
}
