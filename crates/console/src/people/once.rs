//! Shows a secret once. The page that creates the secret redirects to the page that shows it. The
//! secret is sent in an encrypted cookie, which the second page deletes. A reload neither shows the
//! secret again nor creates another one.

use domain::time::MINUTE;
use gateway::{Content, Reply, Result};
use serde::{Serialize, de::DeserializeOwned};

use crate::{sealed_cookie::SealedCookie, view::View};

const COOKIE: SealedCookie = SealedCookie {
    name: "pauta_segredo",
    purpose: "secret shown once",
    lifetime: 2 * MINUTE,
};

/// Redirects to the page at `path`, which shows the value once.
pub(super) fn redirect_with_value<T: Serialize>(
    view: &View<'_>,
    path: &str,
    value: T,
) -> Result<Reply> {
    let sealed = COOKIE.seal(view, path, value)?;
    let reply = Reply::new(Content::Redirect(view.href_to(path)));
    Ok(reply.with_header("set-cookie", sealed.header))
}

/// Returns the value that the page at `path` shows to this member. `None` if there is no cookie with a
/// value, or the value has expired.
pub(super) fn read_value<T: DeserializeOwned>(view: &View<'_>, path: &str) -> Option<T> {
    COOKIE.open(view, path, COOKIE.find(view, path)?)
}

/// Deletes the cookie of the page at `path`.
pub(super) fn delete_cookie(view: &View<'_>, path: &str, page: Reply) -> Reply {
    page.with_header("set-cookie", COOKIE.deletion_header(view, path))
}
