//! The time between the request to stop and the end of new connections.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a stop was asked for. The service still answers, but is not ready for more.
#[derive(Default)]
pub struct Draining(AtomicBool);

impl Draining {
    /// From here on the service is not ready.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
