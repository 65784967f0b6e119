//! Counts connections and responses for the metrics, and records that the listener is about to close.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use gateway::Measure;
use tokio::time::Instant;

/// The range of HTTP statuses.
const STATUSES: std::ops::Range<u16> = 100..600;

/// The connections and responses of one listener.
pub struct Traffic {
    open: AtomicU64,
    refused: AtomicU64,
    /// Response counts, indexed by status minus the lowest status.
    answers: Vec<AtomicU64>,
    /// The time from which each response closes its connection; unset before a shutdown.
    closing: OnceLock<Instant>,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            open: AtomicU64::default(),
            refused: AtomicU64::default(),
            answers: STATUSES.map(|_| AtomicU64::default()).collect(),
            closing: OnceLock::new(),
        }
    }
}

impl Traffic {
    pub(super) fn count_opened(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_closed(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn count_refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_response(&self, status: u16) {
        let index = status.saturating_sub(STATUSES.start);
        if let Some(count) = self.answers.get(usize::from(index)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Makes each further response close its connection (`Connection: close`), because the listener is
    /// about to close. So a balancer opens its next connection to another instance, and keeps no
    /// connection that the service could close while a request arrives.
    pub fn close_after_responses(&self) {
        let _ = self.closing.set(Instant::now());
    }

    /// Returns the time from which each response closes its connection; `None` if the listener is not
    /// about to close.
    pub(super) fn closing_since(&self) -> Option<Instant> {
        self.closing.get().copied()
    }

    /// Returns the counters, for `/metrics`.
    #[must_use]
    pub fn measures(&self) -> Vec<Measure> {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        let answers = STATUSES.zip(&self.answers);
        let answers = answers.map(|(status, count)| (status, read(count)));
        // Statuses that alerts use are reported even if their count is zero.
        let answers = answers.filter(|(status, count)| *count > 0.0 || [408, 429].contains(status));
        let answers = answers.map(|(status, count)| (vec![("status", status.to_string())], count));
        vec![
            Measure::gauge("pauta_connections", "Open connections", read(&self.open)),
            Measure::counter(
                "pauta_connections_refused",
                "Connections refused at the limit",
                read(&self.refused),
            ),
            Measure::counter("pauta_answers", "HTTP answers by status", 0.0)
                .with_labels(answers.collect()),
        ]
    }
}
