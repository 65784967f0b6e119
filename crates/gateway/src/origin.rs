//! Where a call comes from.

use super::Asked;

/// Through which projection a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Door {
    Rest,
    Mcp,
    /// The operator's command line.
    Cli,
}

impl Door {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Door::Rest => "rest",
            Door::Mcp => "mcp",
            Door::Cli => "cli",
        }
    }
}

/// Where a call comes from.
#[derive(Debug, Clone)]
pub struct Origin {
    pub door: Door,
    pub request_id: String,
    /// The client's own name (MCP `clientInfo`, else `User-Agent`), shortened.
    pub client: Option<String>,
    /// The peer's address, for rate limits.
    pub address: Option<std::net::IpAddr>,
    /// What the client asks of the form of a page.
    pub asked: Asked,
}
