//! The clock of the demonstration.

use std::sync::atomic::{AtomicI64, Ordering};

use ports::Clock;

use crate::app::SystemClock;

/// The system clock, or an instant in the past while the month is being seeded.
#[derive(Default)]
pub(super) struct StoryClock(AtomicI64);

impl Clock for StoryClock {
    fn now(&self) -> i64 {
        match self.0.load(Ordering::Relaxed) {
            0 => SystemClock.now(),
            told => told,
        }
    }
}

impl StoryClock {
    pub(super) fn tell(&self, instant: i64) {
        self.0.store(instant, Ordering::Relaxed);
    }
}
