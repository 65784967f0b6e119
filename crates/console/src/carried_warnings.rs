//! The warnings of the operation before a page: an encrypted cookie of the member with the texts, and a
//! digest of the cookie in the address. The page shows the texts only if both belong together, so a
//! link cannot make a page show other texts, and a page that is loaded again still has them.

use domain::sha256_hex;
use gateway::{Reply, Result};
use identity::browser;
use maud::{Markup, html};

use crate::view::View;

/// The cookie with the texts, and the purpose of its encryption.
const COOKIE: &str = "pauta_avisos";
const PURPOSE: &str = "warnings of an operation";
/// The field of the address with the digest of the cookie.
const FIELD: &str = "avisos";
/// The path of all pages. The page after a form may be any of them.
const PATH: &str = "/";
/// The lifetime of the cookie, in seconds.
const LIFETIME: i64 = 600;
/// The maximum length of the texts, in bytes. Browsers store cookies of 4,096 bytes.
const LONGEST: usize = 2_400;

/// Makes the page at this path show these texts. `redirect` makes the reply that leads there. Texts
/// that do not fit into the cookie are left out, the last first.
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
    let digest = digest_of(&sealed);
    let to = format!("{page}{mark}{FIELD}={digest}{fragment}");
    Ok(redirect(&to).with_header("set-cookie", cookie))
}

fn digest_of(cookie: &str) -> String {
    sha256_hex(cookie.as_bytes())[..16].to_owned()
}

/// The texts of the member's cookie, if the address has its digest.
fn read_warnings(view: &View<'_>, address: &str) -> Option<Vec<String>> {
    let (_, query) = address.split_once('?')?;
    let mut fields = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, wanted) = fields.find(|(name, _)| *name == FIELD)?;
    let services = view.ctx.services;
    let cookies = view.ctx.origin.head.cookie.as_deref();
    let sealed = browser::find_cookie(services, cookies, COOKIE, PATH)?;
    if digest_of(sealed) != wanted {
        return None;
    }
    let owner = view.member().id.as_str();
    let texts = services.keys.open(PURPOSE, owner, sealed).ok()?;
    serde_json::from_slice(&texts).ok()
}

/// Draws the warnings of the form before this page.
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
