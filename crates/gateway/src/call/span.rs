//! The span of a call, which names the call in the log and in traces.

use domain::TokenId;
use tracing::Span;

use crate::{Origin, Principal, Registered, TraceParent, traces};

/// Opens the span of a call, in the trace of its caller.
pub(super) fn open_span(
    operation: &Registered,
    caller: Option<&Principal>,
    origin: &Origin,
) -> Span {
    let span = tracing::info_span!(
        "call",
        operation = operation.spec.name,
        door = origin.door.as_str(),
        request_id = &*origin.request_id,
        trace_id = origin.trace.as_ref().map(TraceParent::trace_id),
        member = caller.map(|caller| caller.member.id.as_str()),
        agent = caller.and_then(Principal::agent_id).map(TokenId::as_str),
    );
    traces::continue_trace(&span, origin.trace.as_ref());
    span
}
