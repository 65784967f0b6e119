//! The body of a request, and what happens if its handler does not read all of it.
//!
//! A body that its handler drops returns to the exchange. If only a few unread bytes are left, the
//! exchange drains them and the connection continues. Otherwise it responds with `Connection:
//! close` and discards further input (`lingering.rs`).

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use axum::{
    BoxError,
    http::{HeaderMap, header},
};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

use super::Limits;

/// The body that the handler reads. On drop, the unread rest moves to `left`.
pub(super) struct RequestBody {
    body: Option<Incoming>,
    rest: Rest,
    left: Left,
}

/// Receives the unread rest of a dropped body.
#[derive(Clone, Default)]
pub(super) struct Left(Arc<Mutex<Option<Rest>>>);

impl Left {
    pub(super) fn take_rest(&self) -> Option<Rest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The unread rest of a body.
#[derive(Default)]
pub(super) struct Rest {
    body: Option<Incoming>,
    ended: bool,
    failed: bool,
    /// True while the client waits for `100 Continue`, which it requested by `Expect:
    /// 100-continue`.
    unasked: bool,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, headers: &HeaderMap, left: Left) -> Self {
        Self {
            body: Some(body),
            rest: Rest {
                unasked: headers.contains_key(header::EXPECT),
                ..Rest::default()
            },
            left,
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        let Some(body) = &mut this.body else {
            return Poll::Ready(None);
        };
        this.rest.unasked = false;
        let frame = ready!(Pin::new(&mut *body).poll_frame(task));
        match &frame {
            Some(Ok(_)) => this.rest.ended = body.is_end_stream(),
            Some(Err(_)) => this.rest.failed = true,
            None => this.rest.ended = true,
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(SizeHint::default, HttpBody::size_hint)
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        let mut rest = std::mem::take(&mut self.rest);
        rest.body = self.body.take();
        *self.left.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(rest);
    }
}

impl Rest {
    /// Reads and discards the rest within the limits. Returns `true` at the end of the body: the
    /// connection can then serve another request.
    pub(super) async fn drain_rest(mut self, limits: &Limits) -> bool {
        if self.ended {
            return true;
        }
        // Reading would make hyper send `100 Continue`.
        if self.failed || self.unasked {
            return false;
        }
        let Some(mut body) = self.body.take() else {
            return false;
        };
        let mut room = limits.drain_bytes;
        if body.size_hint().lower() > room {
            return false;
        }
        let reading = async {
            while !body.is_end_stream() {
                let frame = std::future::poll_fn(|task| Pin::new(&mut body).poll_frame(task));
                match frame.await {
                    None => break,
                    Some(Err(_)) => return false,
                    Some(Ok(frame)) => {
                        let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
                        let Some(less) = room.checked_sub(bytes) else {
                            return false;
                        };
                        room = less;
                    }
                }
            }
            true
        };
        tokio::time::timeout(limits.drain, reading)
            .await
            .unwrap_or(false)
    }
}
