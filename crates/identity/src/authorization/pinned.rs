//! Documents of well-known clients, as published on a certain day. They are used while the document
//! itself cannot be fetched: some publishers refuse whole networks of servers, or are unavailable
//! for hours.
//!
//! Cursor publishes no document. `{}` is the name of a connection, which the publisher inserts into
//! both the id and the address.

use super::{document, pattern};
use domain::time::{DAY, Millis};
use store::agents::clients::Client;

struct Pinned {
    id: &'static str,
    name: &'static str,
    redirect_uris: &'static [&'static str],
    /// The day on which it was read, in days since 1970.
    day: Millis,
}

/// 14 August, 8 September and 23 November 2026.
const AUGUST_14: Millis = 20_679;
const SEPTEMBER_8: Millis = 20_704;
const NOVEMBER_23: Millis = 20_780;

const PINNED: [Pinned; 7] = [
    Pinned {
        id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
        name: "Claude",
        redirect_uris: &[
            "https://claude.ai/api/mcp/auth_callback",
            // Announced as the successor of the address above (claude.com/docs/connectors); not yet
            // in the document.
            "https://claude.com/api/mcp/auth_callback",
        ],
        day: AUGUST_14,
    },
    Pinned {
        id: "https://claude.ai/oauth/claude-code-client-metadata",
        name: "Claude Code",
        redirect_uris: &["http://localhost/callback", "http://127.0.0.1/callback"],
        day: SEPTEMBER_8,
    },
    Pinned {
        id: "https://chatgpt.com/oauth/client.json",
        name: "ChatGPT",
        redirect_uris: &["https://chatgpt.com/connector_platform_oauth_redirect"],
        day: SEPTEMBER_8,
    },
    Pinned {
        id: "https://chatgpt.com/oauth/{}/client.json",
        name: "ChatGPT",
        redirect_uris: &["https://chatgpt.com/connector/oauth/{}"],
        day: NOVEMBER_23,
    },
    Pinned {
        id: "https://chatgpt.com/oauth/codex/client.json",
        name: "Codex",
        redirect_uris: &["http://127.0.0.1/callback", "http://localhost/callback"],
        day: NOVEMBER_23,
    },
    Pinned {
        id: "https://chatgpt.com/oauth/codex/{}/client.json",
        name: "Codex",
        redirect_uris: &[
            "http://127.0.0.1/callback/{}",
            "http://localhost/callback/{}",
        ],
        day: NOVEMBER_23,
    },
    Pinned {
        id: "https://vscode.dev/oauth/client-metadata.json",
        name: "Visual Studio Code",
        redirect_uris: &["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
        day: SEPTEMBER_8,
    },
];

/// The pinned client with this id, if it is well known. An exact id takes precedence over a
/// pattern.
pub(super) fn client(id: &str) -> Option<Client> {
    let mut known = PINNED.iter();
    let exact = known.find(|pinned| pinned.id == id);
    let found = exact.map(|pinned| (pinned, ""));
    let (pinned, part) = found.or_else(|| {
        let mut parts = PINNED
            .iter()
            .filter_map(|pinned| Some((pinned, pattern::part(pinned.id, id)?)));
        parts.next()
    })?;
    let fill = |uri: &&str| pattern::fill(uri, part);
    let redirect_uris = pinned.redirect_uris.iter().map(fill).collect();
    let name = pinned.name.to_owned();
    Some(document::client(
        id,
        name,
        redirect_uris,
        true,
        pinned.day * DAY,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::redirect;
    use super::*;

    #[test]
    fn each_has_addresses_that_are_allowed() {
        for pinned in PINNED {
            let id = pattern::fill(pinned.id, "ab-1");
            let client = client(&id).expect("it is known");
            assert_eq!(client.name, pinned.name);
            assert!(
                client
                    .redirect_uris
                    .iter()
                    .all(|uri| redirect::is_allowed(uri))
            );
        }
        let codex = client("https://chatgpt.com/oauth/codex/client.json").expect("known");
        assert_eq!(codex.name, "Codex");
        assert!(client("https://chatgpt.com/oauth/a/b/client.json").is_none());
        assert!(client("https://evil.test/oauth/client.json").is_none());
    }
}
