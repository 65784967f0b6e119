//! What the tokens of connected agents are for.

/// The path of the MCP endpoint.
const PATH: &str = "/api/mcp";

/// Another path of the same endpoint, for clients that look for it there.
pub const ALIAS: &str = "/mcp";

/// The only address that tokens are for.
#[must_use]
pub fn resource(public_url: &str) -> String {
    format!("{public_url}{PATH}")
}
