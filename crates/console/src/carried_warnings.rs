//! Carries the warnings of an operation to the next page. The texts are in an encrypted cookie of the
//! member, and the address of the page contains a digest of the cookie. The page shows the texts only if
//! digest and cookie match. So a link cannot make a page show warnings of another operation, and a
//! reload of the page shows the same warnings.

use domain::sha256_hex;
use gateway::{Reply, Result};
use identity::browser;
use maud::{Markup, html};

use crate::view::View;

/// The name of the cookie with the texts, and the purpose of the encryption key.
const COOKIE: &str = "pauta_avisos";
const PURPOSE: &str = "warnings of an operation";
/// The query field with the digest of the cookie.
const FIELD: &str = "avisos";
/// The path of the cookie. It covers all pages, because a form may redirect to any of them.
const PATH: &str = "/";
/// The lifetime of the cookie, in seconds.
const LIFETIME: i64 = 600;
/// The maximum length of the texts, in bytes. Browsers store cookies of 4,096 bytes.
const LONGEST: usize = 2_400;

/// Redirects to the page at this path, which then shows these texts. `redirect` creates the redirect to
/// an address. If the texts do not fit into the cookie, the last texts are dropped.
pub(crate) fn carry_warnings(
    view: &View<'_>,
    path: &str,
    mut texts: Vec<String>,
    redirect: impl FnOnce(&str) -> Reply,
) -> Result<Reply> {
    while texts.iter().map(String::len).sum::<usize>() > LONGEST {
        texts.pop();
    }
    if texts.is_empty() {
        return Ok(redirect(path));
    }
    let services = view.ctx.services;
    let texts = serde_json::to_vec(&texts)?;
    let owner = view.member().id.as_str();
    let sealed = services.keys.seal(PURPOSE, owner, &texts)?;
    let cookie = browser::set_cookie_header(services, COOKIE, &sealed, PATH, LIFETIME);
    let (page, fragment) = path.split_at(path.find('#').unwrap_or(path.len()));
    let mark = if page.contains('?') { '&' } else { '?' };
    let digest = cookie_digest(&sealed);
    let to = format!("{page}{mark}{FIELD}={digest}{fragment}");
    Ok(redirect(&to).with_header("set-cookie", cookie))
}

fn cookie_digest(cookie: &str) -> String {
    sha256_hex(cookie.as_bytes())[..16].to_owned()
}

/// Returns the texts in the member's cookie, if the address contains the digest of the cookie.
fn read_warnings(view: &View<'_>, address: &str) -> Option<Vec<String>> {
    let (_, query) = address.split_once('?')?;
    let mut fields = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, wanted) = fields.find(|(name, _)| *name == FIELD)?;
    let services = view.ctx.services;
    let cookies = view.ctx.origin.head.cookie.as_deref();
    let sealed = browser::find_cookie(services, cookies, COOKIE, PATH)?;
    if cookie_digest(sealed) != wanted {
        return None;
    }
    let owner = view.member().id.as_str();
    let texts = services.keys.open(PURPOSE, owner, sealed).ok()?;
    serde_json::from_slice(&texts).ok()
}

/// Draws the warnings of the operation that redirected to this page.
pub(crate) fn draw_warnings(view: &View<'_>, address: &str) -> Markup {
    html! {
        @if let Some(texts) = read_warnings(view, address) {
            div class="notice wait" role="status" {
                p { strong { "Sobre o que você acabou de fazer:" } }
                @for text in &texts { p dir="auto" { (text) } }
            }
        }
    }
}
