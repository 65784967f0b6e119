//! What an operation can reach while it runs.

use std::sync::{Arc, OnceLock};

use super::{Error, Keys, Parts, Principal, Result, audit::ReadLog, jobs::Jobs};
use domain::{Capability, time::Millis};
use ports::{BlobStore, Clock, IdentityProvider, ImageGenerator};
use store::{Conn, Db, Tx};

/// What all calls share.
pub struct Services {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub keys: Keys,
    pub identity: Arc<dyn IdentityProvider>,
    pub reads: ReadLog,
    pub jobs: Jobs,
    pub blobs: Arc<dyn BlobStore>,
    pub images: Arc<dyn ImageGenerator>,
    /// What areas keep between calls.
    pub parts: Parts,
    /// Without a trailing slash.
    pub public_url: String,
}

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
}

/// One call: its caller, its instant, its transaction.
pub struct Context<'a> {
    pub services: &'a Services,
    pub origin: &'a Origin,
    /// One instant for the whole call.
    pub now: Millis,
    pub(super) caller: Option<&'a Principal>,
    pub(super) tx: Option<&'a Tx>,
    /// The capability that the input turned out to need.
    pub(super) needed: &'a OnceLock<Capability>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        services: &'a Services,
        origin: &'a Origin,
        now: Millis,
        caller: Option<&'a Principal>,
        tx: Option<&'a Tx>,
        needed: &'a OnceLock<Capability>,
    ) -> Self {
        Self {
            services,
            origin,
            now,
            caller,
            tx,
            needed,
        }
    }

    /// The caller; every operation that is not public has one.
    pub fn caller(&self) -> Result<&'a Principal> {
        self.caller
            .ok_or_else(|| Error::internal("a public operation asked for its caller"))
    }

    /// The door's transaction in a local write, else the readers.
    #[must_use]
    pub fn db(&self) -> Conn<'a> {
        match self.tx {
            Some(tx) => tx.conn(),
            None => self.services.db.reader(),
        }
    }

    /// A transaction of its own, for operations that commit in steps.
    pub async fn begin(&self) -> Result<Tx> {
        Ok(self.services.db.begin().await?)
    }
}
