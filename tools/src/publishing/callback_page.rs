//! The OAuth redirect URI of a network, and the cookie that browsers send only to this URI.

use super::state::LIFETIME;
use domain::time::SECOND;

/// Returns the redirect URI of a network. Each network has its own redirect URI.
pub(super) fn redirect_uri(public_url: &str, provider: &str) -> String {
    format!("{public_url}/oauth/{provider}/callback")
}

fn cookie_name(provider: &str) -> String {
    format!("pauta_oauth_{provider}")
}

/// Returns the `set-cookie` header that sets the cookie.
pub(super) fn set_cookie_header(redirect_uri: &str, provider: &str, value: &str) -> String {
    let (name, path) = (cookie_name(provider), cookie_path(redirect_uri));
    let seconds = LIFETIME / SECOND;
    format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; Secure; SameSite=Lax")
}

/// Returns the `set-cookie` header that deletes the cookie.
pub(super) fn delete_cookie_header(redirect_uri: &str, provider: &str) -> String {
    let (name, path) = (cookie_name(provider), cookie_path(redirect_uri));
    format!("{name}=; Path={path}; Max-Age=0; HttpOnly; Secure; SameSite=Lax")
}

/// Finds the cookie in a request; `None` if it is absent or sent twice.
pub(super) fn find_cookie<'a>(cookies: Option<&'a str>, provider: &str) -> Option<&'a str> {
    let name = cookie_name(provider);
    let pairs = cookies?
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(given, _)| *given == name);
    match (values.next(), values.next()) {
        (Some((_, value)), None) => Some(value),
        _ => None,
    }
}

/// Returns the path of the redirect URI, including the path of the public URL.
fn cookie_path(redirect_uri: &str) -> String {
    let after_scheme = redirect_uri.split_once("://").map_or("", |(_, rest)| rest);
    let path = after_scheme.split_once('/').map_or("", |(_, path)| path);
    format!("/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_sent_only_to_the_callback_of_one_network() {
        let address = redirect_uri("https://x.test/pauta", "youtube");
        assert_eq!(address, "https://x.test/pauta/oauth/youtube/callback");
        let cookie = set_cookie_header(&address, "youtube", "v");
        assert_eq!(
            cookie,
            "pauta_oauth_youtube=v; Path=/pauta/oauth/youtube/callback; Max-Age=600; HttpOnly; \
             Secure; SameSite=Lax"
        );
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let cookies = Some("a=1; pauta_oauth_youtube=v; xpauta_oauth_youtube=w");
        assert_eq!(find_cookie(cookies, "youtube"), Some("v"));
        assert_eq!(find_cookie(cookies, "tube"), None);
        assert_eq!(find_cookie(None, "youtube"), None);
        assert_eq!(
            find_cookie(Some("pauta_oauth_x=1; pauta_oauth_x=2"), "x"),
            None
        );
    }
}
