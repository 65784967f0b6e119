//! Recorded metadata documents of well-known clients. A recorded document is used while the document
//! itself cannot be fetched: some publishers block whole networks of servers, or are unavailable for
//! hours.
//!
//! Cursor has no entry, because it publishes no document. `{}` is the name of a connection: the
//! publisher of the client inserts the same name into the id and into the redirect URI.

use super::{document, pattern};
use domain::time::{DAY, Millis};
use store::agents::clients::Client;

struct Pinned {
    id: &'static str,
    name: &'static str,
    redirect_uris: &'static [&'static str],
    /// The day on which the document was recorded, in days since 1970.
    day: Millis,
}

/// 14 August, 8 September and 23 November 2026, in days since 1970.
const AUGUST_14: Millis = 20_679;
const SEPTEMBER_8: Millis = 20_704;
const NOVEMBER_23: Millis = 20_780;

const PINNED: [Pinned; 7] = [
    Pinned {
        id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
        name: "Claude",
        redirect_uris: &[
            "https://claude.ai/api/mcp/auth_callback",
            // Announced as the successor of the previous URI (claude.com/docs/connectors); not in
            // the document yet.
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

/// Finds the recorded client with this id. An exact match of the id takes precedence over a pattern.
pub(super) fn find_client(id: &str) -> Option<Client> {
    let mut known = PINNED.iter();
    let exact = known.find(|pinned| pinned.id == id);
    let found = exact.map(|pinned| (pinned, ""));
    let (pinned, part) = found.or_else(|| {
        let mut parts = PINNED
            .iter()
            .filter_map(|pinned| Some((pinned, pattern::match_part(pinned.id, id)?)));
        parts.next()
    })?;
    let fill = |uri: &&str| pattern::fill_pattern(uri, part);
    let redirect_uris = pinned.redirect_uris.iter().map(fill).collect();
    let name = pinned.name.to_owned();
    Some(document::new_client(
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
    fn every_pinned_client_has_allowed_redirect_uris() {
        for pinned in PINNED {
            let id = pattern::fill_pattern(pinned.id, "ab-1");
            let client = find_client(&id).expect("it is known");
            assert_eq!(client.name, pinned.name);
            assert!(
                client
                    .redirect_uris
                    .iter()
                    .all(|uri| redirect::is_registrable_uri(uri))
            );
        }
        let codex = find_client("https://chatgpt.com/oauth/codex/client.json").expect("known");
        assert_eq!(codex.name, "Codex");
        assert!(find_client("https://chatgpt.com/oauth/a/b/client.json").is_none());
        assert!(find_client("https://evil.test/oauth/client.json").is_none());
    }
}
