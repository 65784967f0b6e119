//! Sends the requests to providers, and notes them in the trace.

use gateway::traces;
use reqwest::{RequestBuilder, Response, Result};

/// Sends a request to a configured provider, with the `traceparent` of the call. The span of the
/// request must be current.
pub(super) async fn send(request: RequestBuilder) -> Result<Response> {
    let request = match traces::outgoing_traceparent() {
        Some(parent) => request.header("traceparent", parent),
        None => request,
    };
    send_untraced(request).await
}

/// Sends a request to a host that the operator did not configure. It gets no `traceparent`.
pub(super) async fn send_untraced(request: RequestBuilder) -> Result<Response> {
    let sent = request.send().await;
    let status = sent.as_ref().ok().map(|answer| answer.status().as_u16());
    traces::note_provider_answer(status);
    sent
}
