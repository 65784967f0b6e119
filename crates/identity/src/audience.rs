//! The audience of agents' access tokens.

/// The path of the MCP endpoint.
const PATH: &str = "/api/mcp";

/// An alias of the MCP endpoint, for clients that expect it at this path.
pub const ALIAS: &str = "/mcp";

/// The URL of the MCP endpoint. Access tokens of agents are valid only there.
#[must_use]
pub fn mcp_endpoint_url(public_url: &str) -> String {
    format!("{public_url}{PATH}")
}
