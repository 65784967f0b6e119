//! What an operation can reach while it runs.

use std::sync::OnceLock;

use super::{Error, Origin, Principal, Result, Services, Spec};
use domain::{Capability, time::Millis};
use store::{Conn, Tx};

/// One call: its caller, its instant, its transaction.
pub struct Context<'a> {
    pub services: &'a Services,
    /// The binding that it came by.
    pub spec: &'a Spec,
    pub origin: &'a Origin,
    /// One instant for the whole call.
    pub now: Millis,
    pub(super) caller: Option<&'a Principal>,
    pub(super) tx: Option<&'a Tx>,
    /// The capability that the input turned out to need.
    pub(super) needed: &'a OnceLock<Capability>,
}

impl<'a> Context<'a> {
    /// The caller; every operation that is not public has one.
    pub fn caller(&self) -> Result<&'a Principal> {
        self.caller
            .ok_or_else(|| Error::internal("a public operation asked for its caller"))
    }

    /// The gateway's transaction in a local write, else the readers.
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
