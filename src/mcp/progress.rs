//! Progress notifications, and the event stream that carries them.
//!
//! A client that sends `_meta.progressToken` and accepts `text/event-stream` gets its response as
//! an event stream, from the first step that the operation reports. The stream ends with the
//! result, which is the same message that other clients get as JSON. A call that ends before its
//! first step (a refusal, a replayed key, an operation that reports nothing) gets a JSON response.
//! Every client must accept JSON, and a refusal keeps its HTTP status.
//!
//! If the client closes the stream, the call ends as if the connection were closed
//! (`gateway/src/departure.rs`). Frames are not buffered: a frame is written when the connection
//! accepts it, and a step that the client has not read is replaced by the next one. The timeout of
//! the operation also ends the stream. A client that does not read falls below the minimum rate of
//! the connection and is disconnected.
//!
//! A token belongs to one request and is echoed only in its response, so a client that guesses the
//! token of another request receives none of its notifications.
//!
//! `notifications/cancelled` is accepted and has no effect. It names a JSON-RPC id, which is unique
//! only within one client, because every client counts from 1. This server has no sessions, so it
//! cannot distinguish two clients that use the same credential. Protocol version 2026-07-28 has no
//! such notification over HTTP: a client closes the response to cancel the request. This server
//! treats a closed response in this way for all versions.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts},
    response::Response,
};
use futures::{future::BoxFuture, stream};
use gateway::{ProgressListener, Step};
use rmcp::model::{ProgressNotificationParam, ProgressToken, RequestMetaObject};
use serde_json::json;

use super::extensions::AcceptsStream;

/// The interval between comments in the stream, which keep proxies from closing an idle connection.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
/// Makes proxies forward each event at once.
const UNBUFFERED: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-accel-buffering"),
    HeaderValue::from_static("no"),
);

/// The response to a call.
pub(super) struct Reply {
    /// The JSON-RPC message.
    pub(super) message: Vec<u8>,
    /// A response that replaces the message, unless the stream has begun.
    pub(super) refusal: Option<Response>,
}

impl Reply {
    pub(super) fn into_response(self) -> Response {
        self.refusal.unwrap_or_else(|| {
            let mut response = Response::new(Body::from(self.message));
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, json);
            response
        })
    }
}

/// Returns the token under which the client expects notifications; `None` if it expects none.
pub(super) fn expected_token(parts: &Parts, meta: &RequestMetaObject) -> Option<ProgressToken> {
    // For a request to the protocol library, this extension contains what the client itself
    // accepts.
    let accepts = match parts.extensions.get::<AcceptsStream>() {
        Some(AcceptsStream(accepts)) => *accepts,
        None => accepts_stream(&parts.headers),
    };
    meta.get_progress_token().filter(|_| accepts)
}

/// Whether `Accept` lists event streams.
pub(super) fn accepts_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut types = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    types.any(|media_type| {
        let mut parts = media_type.split(';').map(str::trim);
        let is_stream = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case("text/event-stream"));
        is_stream
            && parts.all(|parameter| !matches!(parameter, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

/// Returns the parameters of a notification.
pub(super) fn notification(token: ProgressToken, step: Step) -> ProgressNotificationParam {
    let number = |count: u64| count as f64;
    let params =
        ProgressNotificationParam::new(token, number(step.done)).with_message(step.message);
    match step.total {
        Some(total) => params.with_total(number(total)),
        None => params,
    }
}

/// A call whose steps are sent to the client.
struct Streamed {
    /// The running call; `None` after it has returned its result.
    work: Option<BoxFuture<'static, Reply>>,
    listener: ProgressListener,
    token: ProgressToken,
    first: Option<Step>,
}

/// Runs a call and responds with JSON or, from its first step on, with an event stream.
pub(super) async fn respond_with_steps(
    mut work: BoxFuture<'static, Reply>,
    mut listener: ProgressListener,
    token: ProgressToken,
) -> Response {
    let first = tokio::select! {
        biased;
        reply = &mut work => return reply.into_response(),
        first = listener.next_step() => first,
    };
    let Some(first) = first else {
        return work.await.into_response();
    };
    let streamed = Streamed {
        work: Some(work),
        listener,
        token,
        first: Some(first),
    };
    let frames = stream::unfold(streamed, Streamed::next_frame);
    let mut response = Response::new(Body::from_stream(frames));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, EVENT_STREAM);
    headers.insert(UNBUFFERED.0, UNBUFFERED.1);
    response
}

impl Streamed {
    async fn next_frame(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        let work = self.work.as_mut()?;
        if let Some(step) = self.first.take() {
            return Some((Ok(self.step_frame(step)), self));
        }
        let frame = tokio::select! {
            biased;
            reply = work => {
                self.work = None;
                frame(&reply.message)
            }
            Some(step) = self.listener.next_step() => self.step_frame(step),
            () = tokio::time::sleep(KEEP_ALIVE) => Bytes::from_static(b":\n\n"),
        };
        Some((Ok(frame), self))
    }

    fn step_frame(&self, step: Step) -> Bytes {
        let params = notification(self.token.clone(), step);
        let message = json!({
            "jsonrpc": "2.0", "method": "notifications/progress", "params": params,
        });
        frame(message.to_string().as_bytes())
    }
}

/// Returns a message as an event. JSON on one line needs no escaping.
fn frame(message: &[u8]) -> Bytes {
    Bytes::from([&b"event: message\ndata: "[..], message, b"\n\n"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_client_that_accepts_event_streams_gets_one() {
        let accepts = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            }
            accepts_stream(&headers)
        };
        assert!(accepts(&["application/json, text/event-stream"]));
        assert!(accepts(&["application/json", "Text/Event-Stream;q=0.1"]));
        for refused in [
            &[][..],
            &["application/json"],
            &["*/*"],
            &["text/*"],
            &["application/json, text/event-stream; q=0"],
            &["text/event-streams"],
        ] {
            assert!(!accepts(refused), "{refused:?}");
        }
    }
}
