//! The minimum transfer rate of a client.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

use super::slots::{Slot, Stage};

/// The minimum rate at which a client must send or receive.
#[derive(Debug, Clone, Copy)]
pub struct MinimumRate {
    /// The minimum average rate required of the client, over the time spent waiting for it.
    pub bytes_per_second: u32,
    /// Waiting time that is always allowed, whatever the rate.
    pub grace: Duration,
    /// The maximum wait without any progress.
    pub gap: Duration,
}

/// Enforces a minimum rate. Only time spent waiting for the client is measured; during the wait,
/// the connection is in the stage `Stalled`.
pub(super) struct RateMeter {
    minimum: MinimumRate,
    bytes: u64,
    waited: Duration,
    waiting_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    slot: Arc<Slot>,
}

impl RateMeter {
    pub(super) fn new(minimum: MinimumRate, slot: Arc<Slot>) -> Self {
        Self {
            minimum,
            bytes: 0,
            waited: Duration::ZERO,
            waiting_since: None,
            timer: None,
            slot,
        }
    }

    /// Restarts the measurement for a new request.
    pub(super) fn restart(&mut self) {
        self.bytes = 0;
        self.waited = Duration::ZERO;
        self.waiting_since = None;
    }

    /// Records that the client sent or received this many bytes.
    pub(super) fn record_progress(&mut self, bytes: usize) {
        if let Some(since) = self.waiting_since.take() {
            self.waited += since.elapsed();
            self.slot.enter_stage(Stage::Busy);
        }
        self.bytes += bytes as u64;
    }

    /// Measures the wait for the client, and must be called while waiting. Ready when the client has
    /// been too slow.
    pub(super) fn poll_too_slow(&mut self, task: &mut Context<'_>) -> Poll<()> {
        if self.waiting_since.is_none() {
            let now = Instant::now();
            self.waiting_since = Some(now);
            self.slot.enter_stage(Stage::Stalled);
            let deadline = now + self.allowed_wait();
            match &mut self.timer {
                Some(timer) => timer.as_mut().reset(deadline),
                None => self.timer = Some(Box::pin(sleep_until(deadline))),
            }
        }
        if let Some(timer) = &mut self.timer {
            ready!(timer.as_mut().poll(task));
        }
        Poll::Ready(())
    }

    /// Returns the maximum duration of the current wait. Bytes that were already transferred extend it.
    fn allowed_wait(&self) -> Duration {
        let rate = u64::from(self.minimum.bytes_per_second.max(1));
        let earned = Duration::from_secs(self.bytes / rate).max(self.minimum.grace);
        earned.saturating_sub(self.waited).min(self.minimum.gap)
    }
}
