//! The warnings of the operation before a page: a cookie with the texts, and a digest of them in the
//! address. The page shows the texts only if both belong together, so a link cannot make a page show
//! other texts, and a page that is loaded again still has them.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::sha256_hex;
use gateway::Reply;
use maud::{Markup, html};
use serde_json::Value;

use crate::view::View;

/// The cookie with the texts.
const COOKIE: &str = "pauta_avisos";
/// The field of the address with their digest.
const FIELD: &str = "avisos";
/// The lifetime of the cookie, in seconds.
const LIFETIME: u32 = 600;
/// The maximum length of the texts, in bytes. Browsers store cookies of 4,096 bytes.
const LONGEST: usize = 2_400;

/// Makes the page at this path show these texts. `redirect` makes the reply that leads there. Texts
/// that do not fit into the cookie are left out, the last first.
pub(crate) fn carry_warnings(
    view: &View<'_>,
    path: &str,
    mut texts: Vec<String>,
    redirect: impl FnOnce(&str) -> Reply,
) -> Reply {
    while texts.iter().map(String::len).sum::<usize>() > LONGEST {
        texts.pop();
    }
    if texts.is_empty() {
        return redirect(path);
    }
    let texts = Value::from(texts).to_string();
    let digest = digest_of(&texts);
    let cookie = format!(
        "{COOKIE}={digest}.{}; Path={}; Max-Age={LIFETIME}; HttpOnly; SameSite=Lax",
        URL_SAFE_NO_PAD.encode(&texts),
        view.href_to("/")
    );
    let (page, fragment) = path.split_at(path.find('#').unwrap_or(path.len()));
    let mark = if page.contains('?') { '&' } else { '?' };
    redirect(&format!("{page}{mark}{FIELD}={digest}{fragment}")).with_header("set-cookie", cookie)
}

fn digest_of(texts: &str) -> String {
    sha256_hex(texts.as_bytes())[..16].to_owned()
}

/// The texts of a cookie, if the query of a page has their digest.
fn texts_for(cookie: &str, query: &str) -> Option<Vec<String>> {
    let wanted = query
        .split('&')
        .find_map(|pair| pair.strip_prefix(FIELD)?.strip_prefix('='))?;
    let (digest, texts) = cookie.split_once('.')?;
    let texts = String::from_utf8(URL_SAFE_NO_PAD.decode(texts).ok()?).ok()?;
    let is_same = digest == wanted && digest == digest_of(&texts);
    is_same.then(|| serde_json::from_str(&texts).ok()).flatten()
}

/// Draws the warnings of the form before this page.
pub(crate) fn draw_warnings(view: &View<'_>, address: &str) -> Markup {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let texts = view
        .plain_cookie(COOKIE)
        .and_then(|cookie| texts_for(cookie, query));
    html! {
        @if let Some(texts) = texts {
            div class="notice wait" role="status" {
                p { strong { "Sobre o que você acabou de fazer:" } }
                @for text in &texts { p dir="auto" { (text) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shown_only_with_their_own_digest() {
        let texts = r#"["Confira o ano."]"#;
        let digest = digest_of(texts);
        let cookie = format!("{digest}.{}", URL_SAFE_NO_PAD.encode(texts));
        let query = format!("feito=save_draft&avisos={digest}");
        let shown = texts_for(&cookie, &query);
        assert_eq!(shown, Some(vec!["Confira o ano.".to_owned()]));
        for query in ["", "avisos=", "avisos=0123456789abcdef", "xavisos=1"] {
            assert_eq!(texts_for(&cookie, query), None, "{query}");
        }
        let forged = format!("{digest}.{}", URL_SAFE_NO_PAD.encode(r#"["Outro."]"#));
        for cookie in [forged.as_str(), "", ".", "x.%%"] {
            assert_eq!(texts_for(cookie, &query), None, "{cookie}");
        }
    }
}
