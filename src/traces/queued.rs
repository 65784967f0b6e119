//! The spans that the layer queues for the exporter, and the counts of exported and lost spans.

use std::sync::atomic::{AtomicU64, Ordering};

use gateway::traces::TracedSpan;

use super::attributes::Kind;

/// An ended span, in the queue of the exporter.
pub(super) struct EndedSpan {
    pub kind: Kind,
    pub traced: TracedSpan,
    pub end_unix_nanos: u64,
}

/// The numbers of exported, dropped and failed spans, for the metrics.
#[derive(Default)]
pub struct Counts {
    pub(super) exported: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) failed: AtomicU64,
}

impl Counts {
    pub(super) fn count_dropped(&self, spans: u64) {
        self.dropped.fetch_add(spans, Ordering::Relaxed);
    }

    pub(super) fn count_failed(&self, spans: u64) {
        self.failed.fetch_add(spans, Ordering::Relaxed);
    }
}
