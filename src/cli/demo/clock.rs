//! The clock of the demo.

use std::sync::atomic::{AtomicI64, Ordering};

use ports::Clock;

use crate::app::SystemClock;

/// The system clock, or a fixed instant in the past while the demo is seeded.
#[derive(Default)]
pub(super) struct DemoClock(AtomicI64);

impl Clock for DemoClock {
    fn now(&self) -> i64 {
        match self.0.load(Ordering::Relaxed) {
            0 => SystemClock.now(),
            instant => instant,
        }
    }
}

impl DemoClock {
    pub(super) fn set(&self, instant: i64) {
        self.0.store(instant, Ordering::Relaxed);
    }
}
