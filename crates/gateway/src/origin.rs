//! The origin of a call.

use super::{Progress, RequestHead, TraceParent};
use domain::text_enum;

text_enum! {
    /// The interface through which a call is made.
    pub enum Door {
        Rest = "rest",
        Mcp = "mcp",
        /// The web console.
        Console = "console",
        /// The operator's command line.
        Cli = "cli",
    }
}

/// The origin of a call: its interface, its client and its request headers.
#[derive(Debug, Clone)]
pub struct Origin {
    pub door: Door,
    pub request_id: String,
    /// The trace that the caller's request belongs to.
    pub trace: Option<TraceParent>,
    /// The name of the client (MCP `clientInfo`, otherwise `User-Agent`), truncated.
    pub client: Option<String>,
    /// The IP address of the client, determined with the trusted proxies.
    pub address: Option<std::net::IpAddr>,
    /// The shared secret of another service, from its header.
    pub secret: Option<String>,
    /// The request headers that only pages use.
    pub head: RequestHead,
    /// The channel to which the call reports its steps, if the client listens.
    pub progress: Progress,
}
