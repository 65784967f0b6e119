//! Redirect URIs of OAuth clients.
//!
//! URIs are compared as text; only the port of a loopback URI may differ. A URI is accepted only in
//! the normal form of URL parsers, so that two programs cannot parse it differently. URIs with
//! private-use schemes must be in the table of `applications.rs`.

use url::{Host, Url, form_urlencoded::Serializer};

use super::applications;

/// Maximum length of a redirect URI.
pub(super) const LONGEST: usize = 1_000;
/// The loopback hosts, as written in URIs.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// Parameters of authorization responses. A redirect URI must not contain them, because the client
/// would confuse its own parameter with ours.
const OF_ANSWERS: [&str; 13] = [
    "access_token",
    "code",
    "error",
    "error_description",
    "error_uri",
    "expires_in",
    "id_token",
    "iss",
    "response",
    "scope",
    "session_state",
    "state",
    "token_type",
];

/// True if a client may register this URI: https, loopback http, or the URI of a known application.
pub(super) fn is_registrable_uri(uri: &str) -> bool {
    let Some(url) = parse_normalized(uri) else {
        return false;
    };
    let is_known = match url.scheme() {
        "https" => true,
        "http" => is_loopback(&url),
        _ => applications::application_name(uri).is_some(),
    };
    is_known && !has_response_parameter(&url)
}

/// True if the client registered the URI. The text must be equal; the port of a loopback URI may differ,
/// because a native application gets its port when it starts (RFC 8252, section 7.3).
pub(super) fn is_registered_uri(registered: &[String], given: &str) -> bool {
    let is_same = |known: &String| {
        let portless = loopback_host_and_path(known);
        known == given || (portless.is_some() && portless == loopback_host_and_path(given))
    };
    is_registrable_uri(given)
        && registered
            .iter()
            .any(|known| is_registrable_uri(known) && is_same(known))
}

/// Returns the host and the path of a loopback URI, exactly as they are written.
fn loopback_host_and_path(uri: &str) -> Option<(&str, &str)> {
    let rest = uri.strip_prefix("http://")?;
    let host = LOOPBACK.into_iter().find(|host| rest.starts_with(host))?;
    let rest = &rest[host.len()..];
    let (port, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let is_port = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some((host, path))
}

/// Parses a URI; `None` if a URL parser would rewrite it, because other software could then parse
/// it differently. The host contains no character that ends a token of a content security policy.
fn parse_normalized(uri: &str) -> Option<Url> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"#\\\"<>`{}|^".contains(&byte);
    if uri.len() > LONGEST || !uri.bytes().all(plain) {
        return None;
    }
    let url = Url::parse(uri).ok()?;
    // Parsers add the path `/` to a URI without a path.
    let is_as_given = url.as_str() == uri || url.as_str().strip_suffix('/') == Some(uri);
    if !is_as_given {
        return None;
    }
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let has_host = match url.host()? {
        Host::Domain(name) => !name.is_empty() && name.bytes().all(in_name),
        Host::Ipv4(_) | Host::Ipv6(_) => true,
    };
    let anonymous = url.username().is_empty() && url.password().is_none();
    (has_host && anonymous).then_some(url)
}

/// True if the query has a parameter of authorization responses, however the query is parsed.
fn has_response_parameter(url: &Url) -> bool {
    let parts = url.query().unwrap_or_default().split(['&', ';']);
    let mut names = parts.flat_map(|part| {
        let pairs = url::form_urlencoded::parse(part.as_bytes());
        pairs.map(|(name, _)| name.trim().to_ascii_lowercase())
    });
    names.any(|name| {
        let name = name.split('[').next().unwrap_or_default();
        OF_ANSWERS.contains(&name)
    })
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| LOOPBACK.contains(&host))
}

/// True if the URI is not https to another host, so that any program on the user's machine may
/// receive the response.
pub(super) fn is_local_uri(uri: &str) -> bool {
    parse_normalized(uri).is_none_or(|url| is_loopback(&url) || url.scheme() != "https")
}

/// Returns the host or the application of the URI, for display.
pub(super) fn display_host(uri: &str) -> String {
    if let Some(name) = applications::application_name(uri) {
        return format!("o aplicativo {name}");
    }
    let host = parse_normalized(uri).and_then(|url| Some(url.host_str()?.to_owned()));
    host.unwrap_or_default()
}

/// Returns the source expression of the URI for a content security policy.
pub(super) fn csp_source(uri: &str) -> String {
    match parse_normalized(uri) {
        Some(url) if matches!(url.scheme(), "http" | "https") => url.origin().ascii_serialization(),
        Some(url) => format!("{}:", url.scheme()),
        None => "'none'".into(),
    }
}

/// Adds query parameters to the URI. A space is encoded as `%20`, which every client decodes in the
/// same way.
pub(super) fn with_parameters(uri: &str, parameters: &[(&str, &str)]) -> String {
    let Some(mut url) = parse_normalized(uri) else {
        return uri.to_owned();
    };
    let mut query = Serializer::new(String::new());
    let added = query.extend_pairs(parameters).finish().replace('+', "%20");
    let query = match url.query() {
        Some(own) if !own.is_empty() => format!("{own}&{added}"),
        _ => added,
    };
    url.set_query(Some(&query));
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURSOR: &str = "cursor://anysphere.cursor-mcp/oauth/callback";

    #[test]
    fn only_https_loopback_and_known_applications_are_allowed() {
        for allowed in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://chatgpt.com/connector/oauth/abc",
            "https://xn--e1afmkfd.test/cb?tenant=a",
            "https://[2606:4700::1111]/cb",
            "http://localhost/callback",
            "http://127.0.0.1:33418/",
            "http://[::1]:7777/oauth/callback",
            CURSOR,
            "vscode://saoudrizwan.claude-dev/mcp-auth/callback/ab12",
            "raycast://oauth?package_name=mcp_server_pauta_(dev)",
        ] {
            assert!(is_registrable_uri(allowed), "{allowed}");
        }
        for refused in [
            "http://claude.ai/api/mcp/auth_callback",
            "http://localhost.evil.test/callback",
            "http://127.0.0.1.evil.test/callback",
            "http://localhost@evil.test/callback",
            "http://127.1/callback",
            "https://user@claude.ai/",
            "https://claude.ai/#fragment",
            "https://claude.ai\\@evil.test/",
            "https://*.claude.ai/",
            "https://claude.ai;x/",
            "https://claude.ai/x/../cb",
            "https://claude.ai/cb?code=1",
            "https://claude.ai/cb?a=1;state=1",
            "https://claude.ai/cb?%49ss=1",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "cursor://anysphere.cursor-mcp/oauth/callback?x=1",
            "cursor://evil/oauth/callback",
            "vscode://x/y",
            "//claude.ai/",
            "",
        ] {
            assert!(!is_registrable_uri(refused), "{refused}");
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
            assert!(is_registered_uri(&known, same), "{same}");
        }
        for other in [
            "http://127.0.0.1:51234/callback",
            "http://localhost:51234/callback/",
            "http://localhost:51234/callback?x=1",
            "http://localhost:51234/x/../callback",
            "HTTP://localhost:51234/callback",
            "http://127.1:33418/",
            "https://localhost/callback",
            "https://claude.ai:8443/cb",
            "https://claude.ai/cb/",
            "https://claude.ai/cb?x=1",
            "https://evil.test/cb",
        ] {
            assert!(!is_registered_uri(&known, other), "{other}");
        }
    }

    #[test]
    fn parameters_are_appended_to_the_existing_query() {
        assert_eq!(
            with_parameters(
                "https://x.test/cb?a=1",
                &[("code", "b c"), ("iss", "https://p")]
            ),
            "https://x.test/cb?a=1&code=b%20c&iss=https%3A%2F%2Fp"
        );
        assert_eq!(
            with_parameters(CURSOR, &[("code", "1")]),
            "cursor://anysphere.cursor-mcp/oauth/callback?code=1"
        );
        assert_eq!(csp_source(CURSOR), "cursor:");
        assert_eq!(csp_source("http://127.0.0.1:99/x"), "http://127.0.0.1:99");
    }
}
