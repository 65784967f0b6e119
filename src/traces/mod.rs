//! Exports traces by OpenTelemetry: OTLP over HTTP, in protobuf.
//!
//! A layer of the subscriber (`layer`) records the spans of calls, jobs, requests to providers and
//! groups of statements. A task (`exporter`) sends them in batches to the configured address. The queue
//! between them is bounded. Spans that do not fit are dropped and counted, so a slow or unreachable
//! receiver does not slow down the service. Attributes are only names, codes, durations and ids of the
//! service (`attributes`); no input, title, e-mail, address or SQL is exported.
//!
//! The libraries of OpenTelemetry were evaluated. They add twelve crates and a second version of
//! `rand_core`. Their bridge from `tracing` exports each field and log line of a span, and spans
//! that the queue drops are not counted in a metric. The part of the protocol that is needed here
//! is one message (`protobuf`).
//!
//! Without a configured address, the layer is not installed, and spans are only part of the log.

mod attributes;
mod exporter;
mod layer;
mod protobuf;
mod queued;

use std::sync::Arc;

use gateway::traces;
use ports::Clock;
use tokio::sync::mpsc;

pub use exporter::Exporter;
pub use layer::{Exported, SpanLayer};
pub use queued::Counts;

use crate::config::TraceExport;

/// Creates the layer that records spans and the task that exports them.
pub fn start(
    settings: &TraceExport,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<(SpanLayer, Exporter)> {
    let (sender, queue) = mpsc::channel(settings.queue);
    let counts = Arc::<Counts>::default();
    let exporter = Exporter::new(settings, queue, &sender, counts.clone())?;
    traces::turn_on();
    let layer = SpanLayer {
        sampler: settings.sampler,
        propagates: settings.propagates,
        clock,
        queue: sender,
        counts,
    };
    Ok((layer, exporter))
}
