//! `server.json`: the entry of this server for the MCP registry, with the host as a variable.
//!
//! The registry lists software, and each team runs its own installation. An entry therefore asks
//! for the host and proposes the host of the installation that rendered it. The name begins with
//! the host in reverse, because the publisher of an entry must prove that they own that domain.

use std::net::Ipv4Addr;

use reqwest::Url;
use serde_json::{Value, json};

use super::{icons, release::API_VERSION, source::Source};

/// The file name of the entry.
pub(super) const FILE: &str = "server.json";
/// The schema that the entry follows. `.ci/server.schema.json` is a copy of it.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// The description, within the 100 characters of the schema.
const DESCRIPTION: &str = "Agenda editorial da equipe: demandas, legendas, mídias, aprovação e publicação em um só lugar.";

/// Builds the entry for the registry.
pub(super) fn build_server_json(source: &Source<'_>) -> Value {
    let (scheme, rest) = source
        .url
        .split_once("://")
        .unwrap_or(("https", source.url));
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let mut variable = json!({
        "description": "O endereço da Pauta da sua equipe, sem https:// nem caminho.",
        "isRequired": true,
    });
    // The committed documents contain a `.test` host, which never exists, so it is only an example.
    let field = if host.ends_with(".test") {
        "placeholder"
    } else {
        "default"
    };
    variable[field] = host.into();
    let mut entry = json!({
        "$schema": SCHEMA,
        "name": registry_name(source.url),
        "title": "Pauta",
        "description": DESCRIPTION,
        "version": API_VERSION,
        "websiteUrl": source.document_url("mcp-setup.md"),
        "remotes": [{
            "type": "streamable-http",
            "url": format!("{scheme}://{{host}}{path}{}", source.registry.mcp_path()),
            "variables": { "host": variable },
        }],
        "_meta": { "io.modelcontextprotocol.registry/publisher-provided": {
            "privacyPolicyUrl": source.privacy_url(),
        } },
    });
    // The registry accepts only icons with https URLs.
    if scheme == "https" {
        entry["icons"] = json!(icons::list_icons(source.url));
    }
    entry
}

/// Returns the name in the registry: the labels of the host in reverse, then the name of the server.
fn registry_name(public_url: &str) -> String {
    let url = Url::parse(public_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or("localhost");
    let namespace = if let Some(address) = host.strip_prefix('[') {
        address.trim_end_matches(']').replace(':', "-")
    } else if host.parse::<Ipv4Addr>().is_ok() {
        host.to_owned()
    } else {
        let labels: Vec<&str> = host.split('.').filter(|label| !label.is_empty()).collect();
        labels.into_iter().rev().collect::<Vec<_>>().join(".")
    };
    format!("{namespace}/pauta")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_host_in_reverse() {
        for (url, name) in [
            ("https://pauta.example.com.br", "br.com.example.pauta/pauta"),
            ("https://example.org/pauta", "org.example/pauta"),
            ("http://127.0.0.1:8080", "127.0.0.1/pauta"),
            ("http://[2001:db8::1]:8080", "2001-db8--1/pauta"),
            ("http://localhost:8080", "localhost/pauta"),
        ] {
            assert_eq!(registry_name(url), name, "{url}");
        }
    }
}
