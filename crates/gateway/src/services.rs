//! Services shared by all calls.

use std::sync::Arc;

use ports::{BlobStore, Clock, IdentityProvider, ImageGenerator};
use store::Db;

use super::{Changes, Keys, Parts, Quotas, RefusalLog, queue::Queue, read_log::ReadLog};

/// Services shared by all calls.
pub struct Services {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub keys: Arc<Keys>,
    pub identity: Arc<dyn IdentityProvider>,
    /// Reads that are not yet written to the audit trail.
    pub reads: ReadLog,
    /// Refused credentials that are not yet logged.
    pub refusals: RefusalLog,
    /// Counts calls and admits them within their quotas and budgets.
    pub quotas: Quotas,
    /// The queue of background jobs.
    pub queue: Queue,
    /// Notifies watchers of committed changes.
    pub changes: Changes,
    pub blobs: Arc<dyn BlobStore>,
    pub images: Arc<dyn ImageGenerator>,
    /// State that areas keep between calls.
    pub parts: Parts,
    /// The public base URL, without a trailing slash.
    pub public_url: String,
}
