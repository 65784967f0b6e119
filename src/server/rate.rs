//! How slow a peer may be.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

use super::seats::{Seat, Stage};

/// The slowest that a peer may be without being given up.
#[derive(Debug, Clone, Copy)]
pub struct MinimumRate {
    /// On average over the time that was spent waiting for the peer.
    pub bytes_per_second: u32,
    /// Waiting that is free, whatever came.
    pub grace: Duration,
    /// The longest wait without a single byte.
    pub gap: Duration,
}

/// Holds a peer to its minimum rate. Only time spent waiting for the peer counts, and meanwhile its
/// connection is stalled.
pub(super) struct RateMeter {
    minimum: MinimumRate,
    bytes: u64,
    waited: Duration,
    waiting_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    seat: Arc<Seat>,
}

impl RateMeter {
    pub(super) fn new(minimum: MinimumRate, seat: Arc<Seat>) -> Self {
        Self {
            minimum,
            bytes: 0,
            waited: Duration::ZERO,
            waiting_since: None,
            timer: None,
            seat,
        }
    }

    /// Counts from here.
    pub(super) fn restart(&mut self) {
        self.bytes = 0;
        self.waited = Duration::ZERO;
        self.waiting_since = None;
    }

    /// The peer sent or took this many bytes.
    pub(super) fn progressed(&mut self, bytes: usize) {
        if let Some(since) = self.waiting_since.take() {
            self.waited += since.elapsed();
            self.seat.enter(Stage::Busy);
        }
        self.bytes += bytes as u64;
    }

    /// To be asked whenever the peer is waited for: ready once it has been too slow.
    pub(super) fn poll_too_slow(&mut self, task: &mut Context<'_>) -> Poll<()> {
        if self.waiting_since.is_none() {
            let now = Instant::now();
            self.waiting_since = Some(now);
            self.seat.enter(Stage::Stalled);
            let deadline = now + self.patience();
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

    /// How long this wait may last. Each byte earns the time that it may take.
    fn patience(&self) -> Duration {
        let rate = u64::from(self.minimum.bytes_per_second.max(1));
        let earned = Duration::from_secs(self.bytes / rate).max(self.minimum.grace);
        earned.saturating_sub(self.waited).min(self.minimum.gap)
    }
}
