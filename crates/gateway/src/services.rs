//! What all calls share.

use std::sync::Arc;

use ports::{BlobStore, Clock, IdentityProvider, ImageGenerator};
use store::Db;

use super::{Keys, Parts, queue::Queue, read_log::ReadLog};

/// What all calls share.
pub struct Services {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub keys: Keys,
    pub identity: Arc<dyn IdentityProvider>,
    /// Reads that are still to be written to the audit trail.
    pub reads: ReadLog,
    /// Where jobs are enqueued.
    pub queue: Queue,
    pub blobs: Arc<dyn BlobStore>,
    pub images: Arc<dyn ImageGenerator>,
    /// What areas keep between calls.
    pub parts: Parts,
    /// Without a trailing slash.
    pub public_url: String,
}
