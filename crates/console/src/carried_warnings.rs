//! Carries the warnings of an operation to the next page. The texts are in an encrypted cookie of the
//! member, and the address of the page contains a digest of the cookie. The page shows the texts only if
//! digest and cookie match. So a link cannot make a page show warnings of another operation, and a
//! reload of the page shows the same warnings.

use domain::{sha256_hex, time::MINUTE};
use gateway::{Reply, Result};
use maud::{Markup, html};

use crate::{sealed_cookie::SealedCookie, view::View};

/// The cookie with the texts.
const COOKIE: SealedCookie = SealedCookie {
    name: "pauta_avisos",
    purpose: "warnings of an operation",
    lifetime: 10 * MINUTE,
};
/// The query field with the digest of the cookie.
const FIELD: &str = "avisos";
/// The path of the cookie. It covers all pages, because a form may redirect to any of them.
const PATH: &str = "/";
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
    let sealed = COOKIE.seal(view, PATH, texts)?;
    let (page, fragment) = path.split_at(path.find('#').unwrap_or(path.len()));
    let mark = if page.contains('?') { '&' } else { '?' };
    let digest = cookie_digest(&sealed.text);
    let to = format!("{page}{mark}{FIELD}={digest}{fragment}");
    Ok(redirect(&to).with_header("set-cookie", sealed.header))
}

fn cookie_digest(cookie: &str) -> String {
    sha256_hex(cookie.as_bytes())[..16].to_owned()
}

/// Returns the texts in the member's cookie, if the address contains the digest of the cookie.
fn read_warnings(view: &View<'_>, address: &str) -> Option<Vec<String>> {
    let (_, query) = address.split_once('?')?;
    let mut fields = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, wanted) = fields.find(|(name, _)| *name == FIELD)?;
    let sealed = COOKIE.find(view, PATH)?;
    match cookie_digest(sealed) == wanted {
        true => COOKIE.open(view, PATH, sealed),
        false => None,
    }
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
