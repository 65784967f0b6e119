//! Return paths: the page of this service that is shown after a person has signed in or submitted a
//! form.

use std::fmt;

use gateway::{Context, Services};
use url::{Position, Url, form_urlencoded::Serializer};

/// Maximum length of a path; longer ones are ignored.
const LONGEST: usize = 8_000;

/// A path of this service below the public URL, with its query and fragment.
///
/// Only validated paths have this type, so a redirect to one stays on this service. The path is in
/// the normal form of the browsers' URL parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnPath(String);

impl ReturnPath {
    /// Resolves the text as a browser would on a page of the service. Returns the first page if the
    /// text is absent or would lead to another site.
    #[must_use]
    pub fn from_text(services: &Services, text: Option<&str>) -> Self {
        Self::from_text_below(&services.public_url, text)
    }

    /// Resolves the text like [`Self::from_text`], for this public URL.
    #[must_use]
    pub fn from_text_below(public_url: &str, text: Option<&str>) -> Self {
        let judged = text.and_then(|text| validate_path(public_url, text));
        Self(judged.unwrap_or_else(|| "/".into()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the complete URL.
    #[must_use]
    pub fn to_url(&self, services: &Services) -> String {
        to_url(services, &self.0)
    }
}

impl fmt::Display for ReturnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Validates a path. Browsers remove tabs and line ends, treat a backslash as a slash and remove
/// dot segments before they look for a host, so this checks the output of such a parser.
fn validate_path(public_url: &str, text: &str) -> Option<String> {
    let is_plain = |c: char| !c.is_control() && c != '\\';
    if text.len() > LONGEST || !text.starts_with('/') || !text.chars().all(is_plain) {
        return None;
    }
    let base = Url::parse(public_url).ok()?;
    let root = base.path().trim_end_matches('/');
    // If the public URL has no path, a browser resolves the text alone.
    let url = base.join(&format!("{root}{text}")).ok()?;
    let is_here =
        url.origin() == base.origin() && url.username().is_empty() && url.password().is_none();
    let path = url[Position::BeforePath..].strip_prefix(root)?;
    let is_path = path.starts_with('/') && !path.starts_with("//") && path.len() <= LONGEST;
    (is_here && is_path).then(|| path.to_owned())
}

/// Returns the URL of a path that this service itself created.
pub(crate) fn to_url(services: &Services, path: &str) -> String {
    format!("{}{path}", services.public_url)
}

/// Returns the URL of a page of this service that later redirects to the path `back`. That page
/// validates `back`.
pub(crate) fn page_url_with_return_path(ctx: &Context<'_>, page: &str, back: &str) -> String {
    let query = Serializer::new(String::new())
        .append_pair("volta", back)
        .finish();
    format!("{}{page}?{query}", ctx.services.public_url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validated_path(public_url: &str, text: &str) -> String {
        ReturnPath::from_text_below(public_url, Some(text)).0
    }

    #[test]
    fn only_paths_of_this_service_are_accepted() {
        const URL: &str = "http://127.0.0.1:8080";
        for kept in ["/", "/authorize?a=b&c=%2F", "/eventos/x#y", "/a?b=//c"] {
            assert_eq!(validated_path(URL, kept), kept);
        }
        assert_eq!(validated_path(URL, "/a/../b"), "/b");
        assert_eq!(validated_path(URL, "/equipe?q=é"), "/equipe?q=%C3%A9");
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
            assert_eq!(validated_path(URL, other), "/", "{other}");
        }
        assert_eq!(ReturnPath::from_text_below(URL, None).0, "/");
    }

    #[test]
    fn a_return_path_stays_below_the_path_of_the_public_url() {
        const URL: &str = "https://casa.test/pauta";
        assert_eq!(validated_path(URL, "/a?b#c"), "/a?b#c");
        for other in ["/../outra", "/%2e%2e/outra", "/../pautas", "/..//evil.test"] {
            assert_eq!(validated_path(URL, other), "/", "{other}");
        }
    }
}
