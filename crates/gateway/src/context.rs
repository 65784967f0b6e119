//! What an operation can use while it runs.

use std::sync::OnceLock;

use super::{Error, Origin, Principal, Result, Services, Spec};
use domain::{Capability, time::Millis};
use store::{Conn, Tx};

/// One call: its caller, time and transaction.
pub struct Context<'a> {
    pub services: &'a Services,
    /// The spec of the operation or page.
    pub spec: &'a Spec,
    pub origin: &'a Origin,
    /// The time of the call; it does not change while the call runs.
    pub now: Millis,
    pub(super) caller: Option<&'a Principal>,
    pub(super) tx: Option<&'a Tx>,
    /// The capability that the input needed.
    pub(super) needed: &'a OnceLock<Capability>,
}

impl<'a> Context<'a> {
    /// The caller. Every operation that is not public has one.
    pub fn caller(&self) -> Result<&'a Principal> {
        self.caller
            .ok_or_else(|| Error::internal("a public operation asked for its caller"))
    }

    /// The caller, where an operation does not need one.
    #[must_use]
    pub fn caller_if_any(&self) -> Option<&'a Principal> {
        self.caller
    }

    /// The gateway's transaction in a local write, otherwise the readers.
    #[must_use]
    pub fn db(&self) -> Conn<'a> {
        match self.tx {
            Some(tx) => tx.conn(),
            None => self.services.db.reader(),
        }
    }

    /// Begins a transaction, for operations that commit in steps.
    pub async fn begin(&self) -> Result<Tx> {
        Ok(self.services.db.begin().await?)
    }
}
