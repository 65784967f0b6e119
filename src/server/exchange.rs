//! One request and its response.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderMap, HeaderValue, Request, Response, Version, header},
};
use bytes::Bytes;
use futures::future::BoxFuture;
use gateway::{Code, Error};
use hyper::{
    body::{Body as HttpBody, Frame, Incoming, SizeHint},
    service::Service,
};
use tower_service::Service as _;

use super::{
    Limits, Traffic,
    body::{Left, RequestBody},
    framing::{Chunked, Framing},
};
use crate::http;

/// The phase of a connection.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    /// The head of the next request has not arrived completely.
    Head,
    /// hyper has received the whole head and has not parsed it yet.
    HeadGiven,
    /// The body of the request is arriving. The framing tracks the bytes that are missing.
    Body(Framing),
    /// The whole request has arrived, and the response is not written yet.
    Answering,
}

/// The state of a connection, shared between its byte stream and its requests.
pub(super) struct Exchange(Mutex<State>);

struct State {
    phase: Phase,
    /// True once hyper has read the whole response body from the handler.
    answered: bool,
    /// True if the client sent the body below the minimum rate.
    too_slow: bool,
}

impl Exchange {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            phase: Phase::Head,
            answered: false,
            too_slow: false,
        })))
    }

    pub(super) fn phase(&self) -> Phase {
        self.lock_state().phase
    }

    pub(super) fn mark_head_received(&self) {
        self.lock_state().phase = Phase::HeadGiven;
    }

    /// Records how much of the request body has not arrived yet.
    pub(super) fn set_body_left(&self, left: Option<Framing>) {
        self.lock_state().phase = left.map_or(Phase::Answering, Phase::Body);
    }

    /// Records that the client sent the body too slowly; its rest is not read.
    pub(super) fn mark_too_slow(&self) {
        self.lock_state().too_slow = true;
    }

    /// Whether request and response are complete. If so, resets the state for the next request.
    pub(super) fn start_next_if_over(&self) -> bool {
        let mut state = self.lock_state();
        let over = state.answered && matches!(state.phase, Phase::Answering);
        if over {
            state.phase = Phase::Head;
            state.answered = false;
        }
        over
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hyper service of one connection.
pub(super) struct Exchanges {
    pub(super) router: Router,
    pub(super) peer: SocketAddr,
    pub(super) limits: Limits,
    pub(super) exchange: Arc<Exchange>,
    pub(super) traffic: Arc<Traffic>,
}

impl Service<Request<Incoming>> for Exchanges {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (mut parts, body) = request.into_parts();
        self.exchange.set_body_left(body_framing(&body));
        let fault = check_host(parts.version, &parts.headers);
        let (exchange, traffic) = (self.exchange.clone(), self.traffic.clone());
        let limits = self.limits;
        let left = Left::default();
        let body = if body.is_end_stream() {
            Body::empty()
        } else {
            Body::new(RequestBody::new(body, &parts.headers, left.clone()))
        };
        parts.extensions.insert(ConnectInfo(self.peer));
        let mut router = self.router.clone();
        let has_body = !body.is_end_stream();
        Box::pin(async move {
            let mut response = match fault {
                Some(error) => {
                    drop(body);
                    http::unrouted_error_response(error, &parts.headers)
                }
                None => {
                    let given = router.call(Request::from_parts(parts, body)).await;
                    given.unwrap_or_else(|never| match never {})
                }
            };
            let mut closes = false;
            if has_body {
                if exchange.lock_state().too_slow {
                    let headers = HeaderMap::new();
                    response =
                        http::unrouted_error_response(Error::new(Code::REQUEST_TIMEOUT), &headers);
                }
                let is_read = match left.take_rest() {
                    Some(rest) => rest.drain_rest(&limits).await,
                    None => false,
                };
                closes = !is_read;
            }
            if closes || traffic.closing_since().is_some() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
            }
            traffic.count_response(response.status().as_u16());
            Ok(response.map(|body| ResponseBody { body, exchange }))
        })
    }
}

/// Returns the framing of the body, as hyper parsed it.
fn body_framing(body: &Incoming) -> Option<Framing> {
    if body.is_end_stream() {
        return None;
    }
    Some(match body.size_hint().exact() {
        Some(length) => Framing::Length(length),
        None => Framing::Chunked(Chunked::START),
    })
}

/// Requires exactly one `Host`; HTTP/1.0 may omit it (RFC 9112 §3.2).
fn check_host(version: Version, headers: &HeaderMap) -> Option<Error> {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(_), Some(_)) => Some(Error::invalid_field(
            "Host",
            "unique",
            "foi informado mais de uma vez",
        )),
        (None, _) if version == Version::HTTP_11 => {
            Some(Error::invalid_field("Host", "required", "é obrigatório"))
        }
        _ => None,
    }
}

/// The body of a response. hyper drops it after reading it completely.
pub(super) struct ResponseBody {
    body: Body,
    exchange: Arc<Exchange>,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(task)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.exchange.lock_state().answered = true;
    }
}
