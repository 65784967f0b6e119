//! The traced spans that are exported by OpenTelemetry: calls, jobs, requests to providers and groups
//! of statements.
//!
//! The code opens ordinary `tracing` spans. Where the export is configured, a layer of the
//! subscriber keeps a [`TracedSpan`] with each of them. This module looks up the traced span to
//! continue the trace of a caller, to record the outcome, and to name the trace in metrics and in
//! requests to providers. Without the export, each function only reads one flag.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use tracing::{Metadata, Span};
use tracing_subscriber::{Registry, registry::LookupSpan};

use super::TraceParent;

/// True if this process exports spans. Otherwise no span is looked up.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// The name of the spans of requests to providers.
pub const PROVIDER_REQUEST: &str = "provider_request";

/// The rule that selects the recorded traces, as in `OTEL_TRACES_SAMPLER`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// The share of traces that begin here, 0 to 1.
    pub ratio: f64,
    /// True if the caller decides about its own traces.
    pub follows_parent: bool,
}

impl Sampler {
    /// Returns true if the trace is recorded. The ratio is applied to the trace id, so that all
    /// services with the same ratio record the same traces.
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
    /// Returns the `traceparent` of a request that this span makes.
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

/// The start time of a span.
#[derive(Debug, Clone, Copy)]
pub struct Begin {
    pub instant: Instant,
    /// Nanoseconds since 1970.
    pub unix_nanos: u64,
}

/// A span that may be exported, stored as an extension of its `tracing` span.
#[derive(Debug)]
pub struct TracedSpan {
    pub ids: SpanIds,
    pub parent_id: Option<u64>,
    /// True if the parent is a span of another service.
    pub has_remote_parent: bool,
    pub begin: Begin,
    pub attributes: Vec<(&'static str, Attribute)>,
    pub is_error: bool,
    pub sampler: Sampler,
    /// True if the trace continues the trace of the caller and is passed on to providers.
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

/// Declares that this process exports spans.
pub fn turn_on() {
    IS_ON.store(true, Ordering::Relaxed);
}

fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Creates a random id that is not zero.
#[must_use]
pub fn new_span_id() -> u64 {
    getrandom::u64().unwrap_or_default().max(1)
}

#[must_use]
pub fn new_trace_id() -> u128 {
    u128::from(new_span_id()) << 64 | u128::from(new_span_id())
}

/// Runs `work` with the [`TracedSpan`] of `span`; does nothing if `span` has none.
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

/// Returns the ids of the innermost traced span around the running code, and its `propagates`.
fn find_current_span() -> Option<(SpanIds, bool)> {
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

/// Records the status and the code of the current call in its span.
pub(crate) fn note_answer(status: u16, code: &'static str) {
    // The flag is checked first, because looking up the current span is expensive.
    if is_on() {
        note_outcome(&Span::current(), code, status >= 500, Some(status));
    }
}

/// Records the outcome of a span, and whether the outcome is an error.
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

/// Records the provider's answer to the request of the current span; `None` means that no answer
/// arrived.
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

/// Returns the id of the trace of the running code, as 32 hexadecimal digits; `None` if no trace is
/// recorded.
pub(crate) fn recorded_trace() -> Option<String> {
    if !is_on() {
        return None;
    }
    let (ids, _) = find_current_span().filter(|(ids, _)| ids.is_sampled)?;
    Some(format!("{:032x}", ids.trace_id))
}

/// Returns the `traceparent` of a request to a provider; `None` if traces are not exported or do
/// not leave the service.
#[must_use]
pub fn outgoing_traceparent() -> Option<String> {
    if !is_on() {
        return None;
    }
    let (ids, propagates) = find_current_span()?;
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
        // Only the low 56 bits of the trace id, which are random, count.
        assert!(quarter.samples(u128::MAX << 56, None));
    }

    #[test]
    fn an_outgoing_traceparent_can_be_parsed() {
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
