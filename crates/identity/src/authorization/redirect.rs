//! Addresses to which an authorization returns.

use url::Url;

/// The one address of another scheme that is allowed, of the editor Cursor.
const CURSOR: &str = "cursor://anysphere.cursor-mcp/oauth/callback";

/// The longest address.
pub(super) const LONGEST: usize = 1_000;

/// Whether a client may have this address: https, http to the same machine, or Cursor's.
pub(super) fn is_allowed(uri: &str) -> bool {
    if uri == CURSOR {
        return true;
    }
    let Some(url) = parsed(uri) else {
        return false;
    };
    match url.scheme() {
        "https" => true,
        "http" => is_loopback(&url),
        _ => false,
    }
}

/// Whether one of a client's addresses is this one: the same text, or on the same machine the same
/// but for the port, which a native program is given when it starts (RFC 8252, section 7.3).
pub(super) fn is_one_of(registered: &[String], given: &str) -> bool {
    is_allowed(given)
        && registered
            .iter()
            .any(|known| known == given || (is_allowed(known) && differ_in_port(known, given)))
}

fn differ_in_port(known: &str, given: &str) -> bool {
    let (Some(known), Some(given)) = (parsed(known), parsed(given)) else {
        return false;
    };
    known.scheme() == "http"
        && given.scheme() == "http"
        && is_loopback(&known)
        && known.host_str() == given.host_str()
        && known.path() == given.path()
        && known.query() == given.query()
}

fn parsed(uri: &str) -> Option<Url> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"#\\\"<>`{}|^".contains(&byte);
    if uri.len() > LONGEST || !uri.bytes().all(plain) {
        return None;
    }
    let url = Url::parse(uri).ok()?;
    let host = url.host_str()?;
    let named = url.username().is_empty() && url.password().is_none();
    (named && !host.is_empty() && !host.contains('*')).then_some(url)
}

fn is_loopback(url: &Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// Whether this is a loopback address: any program on the person's machine may listen there.
pub(super) fn is_local(uri: &str) -> bool {
    parsed(uri).is_none_or(|url| is_loopback(&url) || url.scheme() != "https")
}

/// The host or program behind the address, as it is shown to people.
pub(super) fn host(uri: &str) -> String {
    if uri == CURSOR {
        return "o aplicativo Cursor".into();
    }
    let host = parsed(uri).and_then(|url| Some(url.host_str()?.to_owned()));
    host.unwrap_or_default()
}

/// What a policy of a page calls the address.
pub(super) fn source(uri: &str) -> String {
    match parsed(uri) {
        Some(url) if url.scheme() == "cursor" => "cursor:".into(),
        Some(url) => url.origin().ascii_serialization(),
        None => "'none'".into(),
    }
}

/// The address with more parameters.
pub(super) fn with(uri: &str, parameters: &[(&str, &str)]) -> String {
    let Some(mut url) = parsed(uri) else {
        return uri.to_owned();
    };
    url.query_pairs_mut().extend_pairs(parameters);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_loopback_and_cursor_are_allowed() {
        for allowed in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://chatgpt.com/connector/oauth/abc",
            "http://localhost/callback",
            "http://127.0.0.1:33418/",
            "http://[::1]:7777/oauth/callback",
            "cursor://anysphere.cursor-mcp/oauth/callback",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in [
            "http://claude.ai/api/mcp/auth_callback",
            "http://localhost.evil.test/callback",
            "http://127.0.0.1.evil.test/callback",
            "http://localhost@evil.test/callback",
            "https://user@claude.ai/",
            "https://claude.ai/#fragment",
            "https://claude.ai\\@evil.test/",
            "https://*.claude.ai/",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "cursor://anysphere.cursor-mcp/oauth/callback?x=1",
            "cursor://evil/oauth/callback",
            "vscode://x/y",
            "//claude.ai/",
            "",
        ] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        let known = [
            "http://localhost/callback".to_owned(),
            "http://127.0.0.1:33418/".to_owned(),
            "https://claude.ai/cb".to_owned(),
        ];
        for same in [
            "http://localhost/callback",
            "http://localhost:51234/callback",
            "http://127.0.0.1:1/",
            "http://127.0.0.1/",
            "https://claude.ai/cb",
        ] {
            assert!(is_one_of(&known, same), "{same}");
        }
        for other in [
            "http://127.0.0.1:51234/callback",
            "http://localhost:51234/callback/",
            "http://localhost:51234/callback?x=1",
            "https://localhost/callback",
            "https://claude.ai:8443/cb",
            "https://claude.ai/cb/",
            "https://claude.ai/cb?x=1",
            "https://evil.test/cb",
        ] {
            assert!(!is_one_of(&known, other), "{other}");
        }
    }

    #[test]
    fn parameters_are_added_to_those_that_are_there() {
        assert_eq!(
            with(
                "https://x.test/cb?a=1",
                &[("code", "b c"), ("iss", "https://p")]
            ),
            "https://x.test/cb?a=1&code=b+c&iss=https%3A%2F%2Fp"
        );
        assert_eq!(
            with(CURSOR, &[("code", "1")]),
            "cursor://anysphere.cursor-mcp/oauth/callback?code=1"
        );
        assert_eq!(source(CURSOR), "cursor:");
        assert_eq!(source("http://127.0.0.1:99/x"), "http://127.0.0.1:99");
    }
}
