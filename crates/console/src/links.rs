//! Builds addresses of this service.

use gateway::Services;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters to encode: all except the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Puts the base path of the public address before a path of this service, for links and forms.
pub(crate) fn href_to(services: &Services, path: &str) -> String {
    let url = url::Url::parse(&services.public_url).ok();
    let base = url
        .as_ref()
        .map_or("", |url| url.path().trim_end_matches('/'));
    format!("{base}{path}")
}

/// Returns the path of the page that shows a resource. `kind` is the resource kind in the audit trail.
pub(crate) fn resource_path(kind: &str, id: &str) -> Option<String> {
    let id = percent_encode(id);
    Some(match kind {
        "email_draft" => format!("/emails/{id}"),
        "event" => format!("/eventos/{id}"),
        "launch" => format!("/lancamentos/{id}"),
        "member" => format!("/equipe/{id}"),
        "project" => format!("/projetos/{id}"),
        "publication" => format!("/publicacoes/{id}"),
        "skill" => format!("/skills/{id}"),
        "config" => format!("/configuracao/valor?chave={id}"),
        _ => return None,
    })
}

/// Percent-encodes a text for use in an address.
pub(crate) fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}
