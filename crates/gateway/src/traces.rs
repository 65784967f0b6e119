//! The traced spans that are exported by OpenTelemetry: calls, jobs, requests to providers and groups
//! of statements.
//!
//! The code opens ordinary `tracing` spans. Where the export is configured, a layer of the
//! subscriber keeps a [`TracedSpan`] with each of them. This module finds it: to continue the trace
//! of a caller, to note the outcome, and to name the trace in metrics and in requests to providers.
//! Without the export nothing of this runs, except for one read of a flag.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use tracing::{Metadata, Span};
use tracing_subscriber::{Registry, registry::LookupSpan};

use super::TraceParent;

/// Whether this process exports spans. Spans are looked up only if it does.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// The name of the spans of requests to providers.
pub const PROVIDER_REQUEST: &str = "provider_request";

/// Which traces are recorded, as in `OTEL_TRACES_SAMPLER`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// The share of traces that begin here, 0 to 1.
    pub ratio: f64,
    /// Whether the decision of the caller is kept.
    pub follows_parent: bool,
}

impl Sampler {
    /// Decides from the trace id, so that every service with this ratio decides the same.
    #[must_use]
    pub fn samples(self, trace_id: u128, parent: Option<bool>) -> bool {
        match parent {
            Some(is_sampled) if self.follows_parent => is_sampled,
            _ => {
                // The low 56 bits are random, by W3C Trace Context.
                let part = trace_id & ((1 << 56) - 1);
                part < (self.ratio * (1u64 << 56) as f64) as u128
            }
        }
    }
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    Text(String),
    Number(i64),
}

/// The ids of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanIds {
    pub trace_id: u128,
    pub span_id: u64,
    pub is_sampled: bool,
}

impl SpanIds {
    /// The `traceparent` of a request that this span makes.
    #[must_use]
    pub fn to_traceparent(self) -> String {
        let Self {
            trace_id,
            span_id,
            is_sampled,
        } = self;
        format!(
            "00-{trace_id:032x}-{span_id:016x}-{:02x}",
            u8::from(is_sampled)
        )
    }
}

/// The begin of a span.
#[derive(Debug, Clone, Copy)]
pub struct Begin {
    pub instant: Instant,
    /// Nanoseconds since 1970.
    pub unix_nanos: u64,
}

/// A span that may be exported. It is an extension of its `tracing` span.
#[derive(Debug)]
pub struct TracedSpan {
    pub ids: SpanIds,
    pub parent_id: Option<u64>,
    /// Whether the parent is a span of another service.
    pub has_remote_parent: bool,
    pub begin: Begin,
    pub attributes: Vec<(&'static str, Attribute)>,
    pub is_error: bool,
    pub sampler: Sampler,
    /// Whether the trace continues one of the caller, and continues at providers.
    pub propagates: bool,
}

impl TracedSpan {
    pub fn set(&mut self, name: &'static str, value: Attribute) {
        self.attributes.push((name, value));
    }

    /// Moves a span that began a trace into the trace of the caller.
    fn continue_trace(&mut self, parent: &TraceParent) {
        if !self.propagates || self.parent_id.is_some() {
            return;
        }
        self.ids.trace_id = parent.trace_number();
        self.parent_id = Some(parent.parent_id);
        self.has_remote_parent = true;
        self.ids.is_sampled = self
            .sampler
            .samples(self.ids.trace_id, Some(parent.is_sampled));
    }
}

/// Says that this process exports spans.
pub fn turn_on() {
    IS_ON.store(true, Ordering::Relaxed);
}

fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// A random id that is not zero.
#[must_use]
pub fn new_span_id() -> u64 {
    getrandom::u64().unwrap_or_default().max(1)
}

#[must_use]
pub fn new_trace_id() -> u128 {
    u128::from(new_span_id()) << 64 | u128::from(new_span_id())
}

/// Runs `work` with the traced part of `span`; does nothing if it has none.
fn with_traced(span: &Span, work: impl FnOnce(&mut TracedSpan)) {
    span.with_subscriber(|(id, subscriber)| {
        let registry = subscriber.downcast_ref::<Registry>();
        let Some(span) = registry.and_then(|registry| registry.span(id)) else {
            return;
        };
        if let Some(traced) = span.extensions_mut().get_mut() {
            work(traced);
        }
    });
}

/// The traced span that encloses the code that runs, and whether it propagates.
fn current() -> Option<(SpanIds, bool)> {
    let found = Span::current().with_subscriber(|(id, subscriber)| {
        let span = subscriber.downcast_ref::<Registry>()?.span(id)?;
        span.scope().find_map(|span| {
            let extensions = span.extensions();
            let traced = extensions.get::<TracedSpan>()?;
            Some((traced.ids, traced.propagates))
        })
    });
    found.flatten()
}

/// Makes a span that was just opened continue the trace of its caller.
pub(crate) fn continue_trace(span: &Span, parent: Option<&TraceParent>) {
    if let Some(parent) = parent
        && is_on()
    {
        with_traced(span, |traced| traced.continue_trace(parent));
    }
}

/// Notes the status and the code of the call that runs.
pub(crate) fn note_answer(status: u16, code: &'static str) {
    // To look up the current span costs more than the rest.
    if is_on() {
        note_outcome(&Span::current(), code, status >= 500, Some(status));
    }
}

/// Notes the outcome of a span, and whether it is an error.
pub(crate) fn note_outcome(
    span: &Span,
    outcome: &'static str,
    is_error: bool,
    status: Option<u16>,
) {
    if !is_on() {
        return;
    }
    with_traced(span, |traced| {
        traced.set("pauta.outcome", Attribute::Text(outcome.to_owned()));
        if let Some(status) = status {
            traced.set(STATUS, Attribute::Number(status.into()));
        }
        traced.is_error = is_error;
    });
}

/// The attribute of an HTTP status.
const STATUS: &str = "http.response.status_code";

/// Notes the answer of a provider to the request of the current span; `None` if there was none.
pub fn note_provider_answer(status: Option<u16>) {
    if !is_on() {
        return;
    }
    let span = Span::current();
    if span.metadata().map(Metadata::name) != Some(PROVIDER_REQUEST) {
        return;
    }
    with_traced(&span, |traced| {
        match status {
            Some(status) => traced.set(STATUS, Attribute::Number(status.into())),
            None => traced.set("error.type", Attribute::Text("no_answer".to_owned())),
        }
        traced.is_error |= status.is_none_or(|status| status >= 400);
    });
}

/// The trace that is recorded of the code that runs, as 32 hexadecimal digits.
pub(crate) fn recorded_trace() -> Option<String> {
    if !is_on() {
        return None;
    }
    let (ids, _) = current().filter(|(ids, _)| ids.is_sampled)?;
    Some(format!("{:032x}", ids.trace_id))
}

/// The `traceparent` of a request to a provider; `None` if traces are not exported or do not leave
/// the service.
#[must_use]
pub fn outgoing_traceparent() -> Option<String> {
    if !is_on() {
        return None;
    }
    let (ids, propagates) = current()?;
    propagates.then(|| ids.to_traceparent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sampler_follows_the_caller_or_the_ratio_of_the_trace_id() {
        let sampler = |ratio, follows_parent| Sampler {
            ratio,
            follows_parent,
        };
        for parent in [None, Some(true), Some(false)] {
            let follows = parent.unwrap_or(true);
            assert_eq!(sampler(1.0, true).samples(7, parent), follows);
            assert!(sampler(1.0, false).samples(7, parent));
            assert!(!sampler(0.0, false).samples(7, parent));
        }
        assert!(sampler(0.0, true).samples(7, Some(true)));
        let quarter = sampler(0.25, true);
        let begins = 1u128 << 54;
        assert!(quarter.samples(begins - 1, None) && !quarter.samples(begins, None));
        // Only the random part counts.
        assert!(quarter.samples(u128::MAX << 56, None));
    }

    #[test]
    fn a_traceparent_is_read_by_the_other_side() {
        let ids = SpanIds {
            trace_id: 7,
            span_id: 9,
            is_sampled: true,
        };
        let parsed = TraceParent::parse(&ids.to_traceparent()).expect("a trace");
        assert_eq!((parsed.trace_number(), parsed.parent_id), (7, 9));
        assert!(parsed.is_sampled);
    }
}
