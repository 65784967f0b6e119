//! The page shown after a person has signed in or sent a form: a path of this service.

use std::fmt;

use gateway::{Context, Services};
use url::{Position, Url, form_urlencoded::Serializer};

/// Maximum length of a path; longer ones are dropped.
const LONGEST: usize = 8_000;

/// A path of this service, with its query and fragment, below the public address.
///
/// Only validated paths have this type, so a redirect to one stays on this service. It is written
/// in the form of the browsers' URL parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnPath(String);

impl ReturnPath {
    /// The path in this text, as a browser would follow it from a page of the service. The first
    /// page if the path would lead elsewhere.
    #[must_use]
    pub fn of(services: &Services, text: Option<&str>) -> Self {
        Self::below(&services.public_url, text)
    }

    /// The same, for this public address.
    #[must_use]
    pub fn below(public_url: &str, text: Option<&str>) -> Self {
        let judged = text.and_then(|text| judge(public_url, text));
        Self(judged.unwrap_or_else(|| "/".into()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The complete address.
    #[must_use]
    pub fn address(&self, services: &Services) -> String {
        address(services, &self.0)
    }
}

impl fmt::Display for ReturnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Validates a path. Browsers drop tabs and line ends, read a backslash as a slash and remove dot
/// segments before they look for a host, so this checks the result of such a parser.
fn judge(public_url: &str, text: &str) -> Option<String> {
    let is_plain = |c: char| !c.is_control() && c != '\\';
    if text.len() > LONGEST || !text.starts_with('/') || !text.chars().all(is_plain) {
        return None;
    }
    let base = Url::parse(public_url).ok()?;
    let root = base.path().trim_end_matches('/');
    // If the public address has no path, a browser follows the text alone.
    let url = base.join(&format!("{root}{text}")).ok()?;
    let is_here =
        url.origin() == base.origin() && url.username().is_empty() && url.password().is_none();
    let path = url[Position::BeforePath..].strip_prefix(root)?;
    let is_path = path.starts_with('/') && !path.starts_with("//") && path.len() <= LONGEST;
    (is_here && is_path).then(|| path.to_owned())
}

/// The address of a path that this service wrote itself.
pub(crate) fn address(services: &Services, path: &str) -> String {
    format!("{}{path}", services.public_url)
}

/// The address of a page of this service that continues to the path `back`. That page validates the
/// path.
pub(crate) fn by_way_of(ctx: &Context<'_>, page: &str, back: &str) -> String {
    let query = Serializer::new(String::new())
        .append_pair("volta", back)
        .finish();
    format!("{}{page}?{query}", ctx.services.public_url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(public_url: &str, text: &str) -> String {
        ReturnPath::below(public_url, Some(text)).0
    }

    #[test]
    fn only_paths_of_this_service_are_kept() {
        const URL: &str = "http://127.0.0.1:8080";
        for kept in ["/", "/authorize?a=b&c=%2F", "/eventos/x#y", "/a?b=//c"] {
            assert_eq!(path(URL, kept), kept);
        }
        assert_eq!(path(URL, "/a/../b"), "/b");
        assert_eq!(path(URL, "/equipe?q=é"), "/equipe?q=%C3%A9");
        for other in [
            "//evil.test",
            "/\\evil.test",
            "/\t/evil.test",
            "/.//evil.test",
            "/a/..//evil.test",
            "/%2e//evil.test",
            "https://evil.test",
            "javascript:alert(1)",
            "evil.test",
            "/a\nb",
            "",
            &"/".repeat(2),
            &format!("/{}", "a".repeat(8_000)),
        ] {
            assert_eq!(path(URL, other), "/", "{other}");
        }
        assert_eq!(ReturnPath::below(URL, None).0, "/");
    }

    #[test]
    fn a_path_does_not_leave_that_of_the_public_address() {
        const URL: &str = "https://casa.test/pauta";
        assert_eq!(path(URL, "/a?b#c"), "/a?b#c");
        for other in ["/../outra", "/%2e%2e/outra", "/../pautas", "/..//evil.test"] {
            assert_eq!(path(URL, other), "/", "{other}");
        }
    }
}
