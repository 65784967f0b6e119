//! Pulls sales from the stores, and spending from the ad platforms.
//!
//! Each source has a lease, so that one instance at a time reads it. Each feed of a source has a
//! cursor: the time up to which the feed was read. A run starts some time before this cursor,
//! because records change later; unchanged records cause no writes. The cursor moves after all
//! pages of a span are saved. So the next run continues after an interruption.
//!
//! A connector (`ports::SalesSource`) only names its feeds and reads pages. It returns e-mail
//! addresses, which are replaced by person ids before anything is written. The URL of the next page
//! must be on the provider's server, because the request carries the token.

mod convert;
mod pages;
mod reader;
mod synchronize_sources;

pub(super) use reader::{Reader, Report};
pub use synchronize_sources::SynchronizeSources;

use std::{sync::Arc, time::Duration};

use ports::SalesSource;

/// The configured stores and ad platforms.
pub struct Connectors {
    pub sources: Vec<Arc<dyn SalesSource>>,
    /// The interval at which the sources are read; `None` means only on request.
    pub every: Option<Duration>,
}
