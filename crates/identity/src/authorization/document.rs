//! The document that a client publishes about itself; its address is the client's id
//! (draft-ietf-oauth-client-id-metadata-document-00).

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::redirect;
use domain::{is_blank, time::Millis};
use store::agents::clients::Client;

/// The longest id of a client.
pub(super) const LONGEST_ID: usize = 500;
/// The longest name of a client, in characters. Longer ones are cut.
const LONGEST_NAME: usize = 80;
/// Addresses of one client.
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

/// The address of a document, if this id of a client is one: https, with a path, and written as a
/// parser writes it, so without dot segments.
pub(super) fn address(client_id: &str) -> Option<Url> {
    let url = Url::parse(client_id)
        .ok()
        .filter(|url| client_id.len() <= LONGEST_ID && url.as_str() == client_id)?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    (plain && url.scheme() == "https" && url.path() != "/" && url.host().is_some()).then_some(url)
}

/// The client that a document describes; `None` when it is not acceptable as the document of this
/// address.
pub(super) fn read(address: &str, body: &[u8], now: Millis, fresh_until: Millis) -> Option<Client> {
    let document: Document = serde_json::from_slice(body).ok()?;
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
        .filter(|uri| redirect::is_allowed(uri))
        .take(MOST_ADDRESSES)
        .collect();
    let acceptable =
        document.client_id == address && public && !secret && !redirect_uris.is_empty();
    Some(Client {
        id: address.into(),
        name: name(&document.client_name).filter(|_| acceptable)?,
        redirect_uris,
        auth_method: "none".into(),
        secret_sha256: None,
        renews: renews(document.grant_types.as_deref()),
        created_at: now,
        fetched_at: Some(now),
        fresh_until: Some(fresh_until),
    })
}

/// The name of a client in one line; `None` when nothing of it can be seen.
pub(super) fn name(text: &str) -> Option<String> {
    let visible = |c: &char| !c.is_control() && !is_direction(*c);
    let name: String = text.chars().filter(visible).take(LONGEST_NAME).collect();
    let name = name.trim();
    (!is_blank(name)).then(|| name.to_owned())
}

/// Characters that change the direction of text, so that it reads as another.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a client with these grant types renews its access. One that names none may.
pub(super) fn renews(grant_types: Option<&[String]>) -> bool {
    grant_types.is_none_or(|types| types.iter().any(|name| name == "refresh_token"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ADDRESS: &str = "https://client.test/oauth/client.json";

    fn reads(change: Value) -> bool {
        let mut document = json!({
            "client_id": ADDRESS,
            "client_name": "Cliente",
            "redirect_uris": ["https://client.test/cb"],
        });
        for (name, value) in change.as_object().expect("fields") {
            document[name] = value.clone();
        }
        read(ADDRESS, document.to_string().as_bytes(), 0, 0).is_some()
    }

    #[test]
    fn a_document_must_be_about_its_own_address_and_keep_no_secret() {
        assert!(reads(json!({})));
        assert!(reads(json!({
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
            assert!(!reads(refused.clone()), "{refused}");
        }
    }

    #[test]
    fn only_plain_https_addresses_with_a_path_are_documents() {
        assert!(address(ADDRESS).is_some());
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
            assert!(address(refused).is_none(), "{refused}");
        }
    }

    #[test]
    fn a_name_cannot_hide_what_it_says() {
        assert_eq!(name("a\u{202e}b\nc").as_deref(), Some("abc"));
        assert_eq!(name("\u{200b}"), None);
    }
}
