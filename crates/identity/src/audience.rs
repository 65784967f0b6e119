//! The audience of the tokens of connected agents.

/// The path of the MCP endpoint.
const PATH: &str = "/api/mcp";

/// An alias of the endpoint, for clients that expect it at this path.
pub const ALIAS: &str = "/mcp";

/// The only address for which the tokens are valid.
#[must_use]
pub fn resource(public_url: &str) -> String {
    format!("{public_url}{PATH}")
}
