//! The shutdown phase in which the service still accepts connections but reports that it is not
//! ready.

use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is true after a shutdown was requested.
#[derive(Default)]
pub struct Draining(AtomicBool);

impl Draining {
    /// Makes the service report that it is not ready.
    pub fn begin_draining(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
