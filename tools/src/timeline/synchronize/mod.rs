//! Pulling what was sold from the stores, and what was spent from the ad platforms.
//!
//! Each source has a lease, so that one instance at a time reads it, and each of its feeds a cursor:
//! until when it was read. A feed is read again from some time before its cursor, because records
//! change later; what says nothing new changes nothing. The cursor moves at the end of a span whose
//! pages were all saved, so whatever interrupts a run, the next one continues.

mod convert;
mod pages;
mod reader;
mod synchronize_sources;

pub(super) use reader::{Reader, Report};
pub use synchronize_sources::SynchronizeSources;

use std::{sync::Arc, time::Duration};

use ports::SalesSource;

/// The stores and ad platforms that are configured.
pub struct Connectors {
    pub sources: Vec<Arc<dyn SalesSource>>,
    /// How often they are read; without it, only on request.
    pub every: Option<Duration>,
}
