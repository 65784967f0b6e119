//! A secret that is shown once: the page that made it redirects to the page that shows it, and passes it
//! in a sealed cookie, which that page deletes. So a reload neither shows it nor makes another.

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
    shown: T,
}

/// Leads to the page at `path`, which shows this.
pub(super) fn lead_to<T: Serialize>(view: &View<'_>, path: &str, shown: T) -> Result<Reply> {
    let until = view.ctx.now + LIFETIME;
    let plain = serde_json::to_vec(&Kept { until, shown })?;
    let services = view.ctx.services;
    let sealed = services.keys.seal(PURPOSE, &owner(view, path), &plain)?;
    let cookie = browser::header(services, COOKIE, &sealed, path, LIFETIME / SECOND);
    Ok(Reply::new(Content::Redirect(view.at(path))).header("set-cookie", cookie))
}

/// What the page at `path` was given to show to this member.
pub(super) fn given<T: DeserializeOwned>(view: &View<'_>, path: &str) -> Option<T> {
    let services = view.ctx.services;
    let cookies = view.ctx.origin.head.cookie.as_deref();
    let sealed = browser::cookie(services, cookies, COOKIE, path)?;
    let keys = &services.keys;
    let plain = keys.open(PURPOSE, &owner(view, path), sealed).ok()?;
    let kept: Kept<T> = serde_json::from_slice(&plain).ok()?;
    (view.ctx.now < kept.until).then_some(kept.shown)
}

/// The same page, without the cookie from now on.
pub(super) fn shown(view: &View<'_>, path: &str, page: Reply) -> Reply {
    let gone = browser::header(view.ctx.services, COOKIE, "", path, 0);
    page.header("set-cookie", gone)
}

fn owner(view: &View<'_>, path: &str) -> String {
    format!("{}{path}", view.member().id)
}
