//! Records spans and queues the ended ones.

use std::{sync::Arc, time::Instant};

use gateway::traces::{Begin, Sampler, SpanIds, TracedSpan, new_span_id, new_trace_id};
use ports::Clock;
use tokio::sync::mpsc;
use tracing::{
    Metadata, Subscriber,
    span::{Attributes, Id, Record},
    subscriber::Interest,
};
use tracing_subscriber::{
    Layer,
    filter::Filtered,
    layer::{Context, Filter},
    registry::{LookupSpan, SpanRef},
};

use super::{
    attributes::{Fields, Kind},
    queued::{Counts, EndedSpan},
};

/// Records the spans of calls, jobs, requests to providers and groups of statements.
pub struct SpanLayer {
    pub(super) sampler: Sampler,
    pub(super) propagates: bool,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) queue: mpsc::Sender<EndedSpan>,
    pub(super) counts: Arc<Counts>,
}

impl SpanLayer {
    /// Adds a filter to the layer, so that it records spans independently of the filter of the log.
    pub fn with_own_filter<S>(self) -> Filtered<Self, Exported, S>
    where
        S: Subscriber + for<'s> LookupSpan<'s>,
    {
        self.with_filter(Exported)
    }

    /// Begins a span. Returns `None` for database statements outside of a recorded trace.
    fn begin_span(&self, kind: Kind, parent: Option<(SpanIds, Begin)>) -> Option<TracedSpan> {
        let now = Instant::now();
        let (trace_id, is_sampled, begin) = match parent {
            Some((ids, begin)) => {
                // The clock of the service is read once for each trace, so that the spans of a
                // trace fit into each other.
                let begin = Begin {
                    instant: now,
                    unix_nanos: unix_nanos(begin, now),
                };
                (ids.trace_id, ids.is_sampled, begin)
            }
            None => {
                let trace_id = new_trace_id();
                let millis = u64::try_from(self.clock.now()).unwrap_or_default();
                let begin = Begin {
                    instant: now,
                    unix_nanos: millis * 1_000_000,
                };
                (trace_id, self.sampler.samples(trace_id, None), begin)
            }
        };
        if kind == Kind::Statements && !(parent.is_some() && is_sampled) {
            return None;
        }
        Some(TracedSpan {
            ids: SpanIds {
                trace_id,
                span_id: new_span_id(),
                is_sampled,
            },
            parent_id: parent.map(|(ids, _)| ids.span_id),
            has_remote_parent: false,
            begin,
            attributes: vec![],
            is_error: false,
            sampler: self.sampler,
            propagates: self.propagates,
        })
    }
}

/// A filter that passes only the spans to export.
pub struct Exported;

impl<S> Filter<S> for Exported {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        Kind::of(metadata).is_some()
    }

    /// Makes the subscriber ask this filter for each span. Otherwise it would apply its last decision
    /// about another span or event (`tracing::enabled!`) to this one.
    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        match Kind::of(metadata) {
            Some(_) => Interest::sometimes(),
            None => Interest::never(),
        }
    }
}

fn unix_nanos(begin: Begin, now: Instant) -> u64 {
    let since = now.saturating_duration_since(begin.instant).as_nanos();
    begin.unix_nanos + u64::try_from(since).unwrap_or(u64::MAX)
}

fn find_enclosing_span<S>(span: &SpanRef<'_, S>) -> Option<(SpanIds, Begin)>
where
    S: for<'s> LookupSpan<'s>,
{
    span.scope().skip(1).find_map(|span| {
        let extensions = span.extensions();
        let traced = extensions.get::<TracedSpan>()?;
        Some((traced.ids, traced.begin))
    })
}

impl<S> Layer<S> for SpanLayer
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    fn on_new_span(&self, fields: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let kind = Kind::of(fields.metadata());
        let (Some(kind), Some(span)) = (kind, context.span(id)) else {
            return;
        };
        let Some(mut traced) = self.begin_span(kind, find_enclosing_span(&span)) else {
            return;
        };
        fields.record(&mut Fields {
            kind,
            traced: &mut traced,
        });
        span.extensions_mut().insert(traced);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let Some(kind) = Kind::of(span.metadata()) else {
            return;
        };
        if let Some(traced) = span.extensions_mut().get_mut() {
            values.record(&mut Fields { kind, traced });
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        let (Some(kind), Some(traced)) = (
            Kind::of(span.metadata()),
            span.extensions_mut().remove::<TracedSpan>(),
        ) else {
            return;
        };
        if !traced.ids.is_sampled {
            return;
        }
        let ended = EndedSpan {
            kind,
            end_unix_nanos: unix_nanos(traced.begin, Instant::now()),
            traced,
        };
        if self.queue.try_send(ended).is_err() {
            self.counts.count_dropped(1);
        }
    }
}
