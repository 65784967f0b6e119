//! The addresses that the authorization server names: the audience of agents' access tokens, and the
//! policy of the service.

/// The path of the MCP endpoint.
const PATH: &str = "/api/mcp";

/// An alias of the MCP endpoint, for clients that expect it at this path.
pub const ALIAS: &str = "/mcp";

/// The path of the page that says which data the service stores, below the public URL. The console
/// serves it.
pub const PRIVACY_PATH: &str = "/privacidade";

/// Returns the URL of the MCP endpoint. Access tokens of agents are valid only there.
#[must_use]
pub fn mcp_endpoint_url(public_url: &str) -> String {
    format!("{public_url}{PATH}")
}
