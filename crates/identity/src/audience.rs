//! What the tokens of connected agents are for.

/// The only address that tokens are for.
#[must_use]
pub fn resource(public_url: &str) -> String {
    format!("{public_url}/api/mcp")
}
