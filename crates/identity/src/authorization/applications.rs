//! Desktop applications that receive authorization responses at a redirect URI with a private-use
//! scheme (RFC 8252, section 7.1).
//!
//! Any program may register a scheme, so the list contains complete URIs, with `{}` where an
//! application inserts the name of the server. Checked on 2026-11-23. Other MCP applications use
//! https or loopback URIs and need no entry: VS Code itself, Windsurf, Zed, JetBrains, Codex,
//! Claude, Gemini CLI.

use super::pattern;

/// An application and its redirect URI.
struct Application {
    name: &'static str,
    address: &'static str,
}

const fn application(name: &'static str, address: &'static str) -> Application {
    Application { name, address }
}

const APPLICATIONS: [Application; 7] = [
    // Source: docs.zuora.com, "Redirect URIs by MCP client". Newer versions also register
    // http://localhost:8787.
    application("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback"),
    // Used by versions of 2025. Source: the allow-list of keboola/mcp-server.
    application(
        "Cursor",
        "cursor://anysphere.cursor-retrieval/oauth/{}/callback",
    ),
    // Source: cline/cline, src/services/uri. The last path segment is a hash of the server's URL.
    application(
        "Cline, no VS Code",
        "vscode://saoudrizwan.claude-dev/mcp-auth/callback/{}",
    ),
    application(
        "Cline, no VS Code Insiders",
        "vscode-insiders://saoudrizwan.claude-dev/mcp-auth/callback/{}",
    ),
    application(
        "Cline, no Cursor",
        "cursor://saoudrizwan.claude-dev/mcp-auth/callback/{}",
    ),
    application(
        "Cline, no Windsurf",
        "windsurf://saoudrizwan.claude-dev/mcp-auth/callback/{}",
    ),
    // Sources: dust-tt/dust, the recorded registration "Raycast MCP"; developers.raycast.com,
    // "OAuth".
    application("Raycast", "raycast://oauth?package_name=mcp_server_{}"),
];

/// Returns the name of the application that uses this redirect URI.
pub(super) fn application_name(uri: &str) -> Option<&'static str> {
    let mut all = APPLICATIONS.iter();
    let found = all.find(|known| pattern::match_part(known.address, uri).is_some());
    found.map(|known| known.name)
}
