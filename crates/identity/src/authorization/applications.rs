//! Applications that receive authorization answers at an address with their own scheme (RFC 8252,
//! section 7.1).
//!
//! Any program may claim a scheme, so the list contains whole addresses, with `{}` where an
//! application inserts the name of the server. Checked on 2026-11-23. Other such applications
//! return to https or to the same machine and need no entry: VS Code itself, Windsurf, Zed,
//! JetBrains, Codex, Claude, Gemini CLI.

use super::pattern;

/// An application and its redirect address.
struct Application {
    name: &'static str,
    address: &'static str,
}

const fn application(name: &'static str, address: &'static str) -> Application {
    Application { name, address }
}

const APPLICATIONS: [Application; 7] = [
    // docs.zuora.com, "Redirect URIs by MCP client". Newer versions also register
    // http://localhost:8787.
    application("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback"),
    // Versions of 2025, from the allow-list of keboola/mcp-server.
    application(
        "Cursor",
        "cursor://anysphere.cursor-retrieval/oauth/{}/callback",
    ),
    // cline/cline, src/services/uri; the last part is a hash of the server's address.
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
    // dust-tt/dust, the recorded registration "Raycast MCP"; developers.raycast.com, "OAuth".
    application("Raycast", "raycast://oauth?package_name=mcp_server_{}"),
];

/// The name of the application that uses this address.
pub(super) fn name(uri: &str) -> Option<&'static str> {
    let mut all = APPLICATIONS.iter();
    let found = all.find(|known| pattern::part(known.address, uri).is_some());
    found.map(|known| known.name)
}
