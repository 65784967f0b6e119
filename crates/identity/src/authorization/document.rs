//! Client metadata documents. The URL of the document is the client's id
//! (draft-ietf-oauth-client-id-metadata-document-00).

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::redirect;
use domain::{is_blank, time::Millis, visible_line};
use store::agents::clients::Client;

/// Maximum length of a client id.
pub(super) const LONGEST_ID: usize = 500;
/// Maximum length of a client name, in characters. Longer names are truncated.
const LONGEST_NAME: usize = 80;
/// Maximum number of redirect URIs of a client.
pub(super) const MOST_ADDRESSES: usize = 20;

#[derive(Deserialize)]
struct Document {
    client_id: String,
    client_name: String,
    redirect_uris: Vec<String>,
    grant_types: Option<Vec<String>>,
    token_endpoint_auth_method: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    client_secret: Option<Value>,
}

/// Parses a client id as the URL of a document; `None` if it is not one. The URL must use https,
/// have a path, and be in the normal form of URL parsers, for example without dot segments.
pub(super) fn parse_url(client_id: &str) -> Option<Url> {
    let url = Url::parse(client_id)
        .ok()
        .filter(|url| client_id.len() <= LONGEST_ID && url.as_str() == client_id)?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    (plain && url.scheme() == "https" && url.path() != "/" && url.host().is_some()).then_some(url)
}

/// Parses the document at this URL into a client. The error says, for the log, why the document is
/// not acceptable.
pub(super) fn parse(
    address: &str,
    body: &[u8],
    now: Millis,
    fresh_until: Millis,
) -> Result<Client, &'static str> {
    let document: Document =
        serde_json::from_slice(body).map_err(|_| "it is no document of a client")?;
    let single = document.token_endpoint_auth_method.as_deref();
    let is_secret = |method: &str| method.starts_with("client_secret");
    let methods = document.token_endpoint_auth_methods_supported;
    let public = match &methods {
        Some(methods) => methods.iter().any(|method| method == "none"),
        None => matches!(single, None | Some("none")),
    };
    let secret = document.client_secret.is_some()
        || single.is_some_and(is_secret)
        || methods.iter().flatten().any(|method| is_secret(method));
    let redirect_uris: Vec<String> = document
        .redirect_uris
        .into_iter()
        .filter(|uri| redirect::is_registrable_uri(uri))
        .take(MOST_ADDRESSES)
        .collect();
    for (wrong, why) in [
        (document.client_id != address, "its client_id is another"),
        (!public || secret, "the client is not public"),
        (
            redirect_uris.is_empty(),
            "none of its redirect_uris is accepted",
        ),
    ] {
        if wrong {
            return Err(why);
        }
    }
    let name = visible_name(&document.client_name).ok_or("its client_name cannot be seen")?;
    let renews = allows_renewal(document.grant_types.as_deref());
    Ok(Client {
        fresh_until: Some(fresh_until),
        ..new_client(address, name, redirect_uris, renews, now)
    })
}

/// Creates a public client, with the times when its document was fetched and when it must be
/// fetched again.
pub(super) fn new_client(
    address: &str,
    name: String,
    redirect_uris: Vec<String>,
    renews: bool,
    read_at: Millis,
) -> Client {
    Client {
        id: address.into(),
        name,
        redirect_uris,
        auth_method: "none".into(),
        secret_sha256: None,
        renews,
        created_at: read_at,
        fetched_at: Some(read_at),
        fresh_until: None,
        used_at: None,
    }
}

/// Returns the name of a client on one line. `None` if the name has no visible character.
pub(super) fn visible_name(text: &str) -> Option<String> {
    let name: String = visible_line(text).chars().take(LONGEST_NAME).collect();
    let name = name.trim_end();
    (!is_blank(name)).then(|| name.to_owned())
}

/// True if a client with these grant types receives refresh tokens. A client without a list
/// receives them.
pub(super) fn allows_renewal(grant_types: Option<&[String]>) -> bool {
    grant_types.is_none_or(|types| types.iter().any(|name| name == "refresh_token"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ADDRESS: &str = "https://client.test/oauth/client.json";

    fn is_accepted_with(change: Value) -> bool {
        let mut document = json!({
            "client_id": ADDRESS,
            "client_name": "Cliente",
            "redirect_uris": ["https://client.test/cb"],
        });
        for (name, value) in change.as_object().expect("fields") {
            document[name] = value.clone();
        }
        parse(ADDRESS, document.to_string().as_bytes(), 0, 0).is_ok()
    }

    #[test]
    fn a_document_must_name_its_own_url_and_declare_no_secret() {
        assert!(is_accepted_with(json!({})));
        assert!(is_accepted_with(json!({
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        })));
        for refused in [
            json!({ "client_id": "https://other.test/oauth/client.json" }),
            json!({ "client_name": " " }),
            json!({ "client_name": null }),
            json!({ "redirect_uris": [] }),
            json!({ "redirect_uris": ["javascript:alert(1)"] }),
            json!({ "token_endpoint_auth_method": "client_secret_post" }),
            json!({ "token_endpoint_auth_method": "private_key_jwt" }),
            json!({ "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"] }),
            json!({ "client_secret": "x" }),
        ] {
            assert!(!is_accepted_with(refused.clone()), "{refused}");
        }
    }

    #[test]
    fn only_normalized_https_urls_with_a_path_are_document_urls() {
        assert!(parse_url(ADDRESS).is_some());
        for refused in [
            "http://client.test/client.json",
            "https://client.test",
            "https://client.test/",
            "https://client.test/a/../client.json",
            "https://client.test/client.json#x",
            "https://user@client.test/client.json",
            "https://CLIENT.test/client.json",
            "https://client.test:443/client.json",
            "ftp://client.test/x",
            "abc",
        ] {
            assert!(parse_url(refused).is_none(), "{refused}");
        }
    }

    #[test]
    fn hidden_characters_are_removed_from_a_name() {
        assert_eq!(visible_name("a\u{202e}b\nc").as_deref(), Some("ab c"));
        assert_eq!(visible_name("\u{200b}"), None);
    }
}
