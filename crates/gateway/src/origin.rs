//! The origin of a call.

use super::Asked;

/// The interface of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Door {
    Rest,
    Mcp,
    /// The web console.
    Console,
    /// The operator's command line.
    Cli,
}

impl Door {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Door::Rest => "rest",
            Door::Mcp => "mcp",
            Door::Console => "console",
            Door::Cli => "cli",
        }
    }
}

/// The origin of a call.
#[derive(Debug, Clone)]
pub struct Origin {
    pub door: Door,
    pub request_id: String,
    /// The client's name (MCP `clientInfo`, otherwise `User-Agent`), shortened.
    pub client: Option<String>,
    /// The client's address, for rate limits.
    pub address: Option<std::net::IpAddr>,
    /// The value of the header with which another service authenticates itself.
    pub secret: Option<String>,
    /// The headers of a request that only pages read.
    pub asked: Asked,
}
