//! The origin of a call.

use super::RequestHead;
use domain::text_enum;

text_enum! {
    /// The interface of a call.
    pub enum Door {
        Rest = "rest",
        Mcp = "mcp",
        /// The web console.
        Console = "console",
        /// The operator's command line.
        Cli = "cli",
    }
}

/// The origin of a call.
#[derive(Debug, Clone)]
pub struct Origin {
    pub door: Door,
    pub request_id: String,
    /// The client's name (MCP `clientInfo`, otherwise `User-Agent`), shortened.
    pub client: Option<String>,
    /// The client's address, according to the trusted proxies.
    pub address: Option<std::net::IpAddr>,
    /// The secret with which another service authenticates itself, from its header.
    pub secret: Option<String>,
    /// The request headers that only pages read.
    pub head: RequestHead,
}
