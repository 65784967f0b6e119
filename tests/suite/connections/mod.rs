//! Connections: timeouts, the cap, and how they end.

mod cap;
mod floods;
mod heads;
mod refusals;
mod stop;
mod timeouts;

use std::net::SocketAddr;

use axum::{Router, routing::get};
use domain::Role;

use crate::support::{Listener, Reply, TestApp, Wire, run_blocking};

/// Returns the head of a request with a bearer token.
fn authorized_head(method: &str, path: &str, token: &str, lines: &str) -> String {
    let lines = format!("Authorization: Bearer {token}\r\n{lines}");
    crate::support::request_head(method, path, &lines)
}

/// Returns the header lines for a body of this type and length.
fn body_headers(media_type: &str, length: usize) -> String {
    format!("Content-Type: {media_type}\r\nContent-Length: {length}\r\n")
}

/// Returns one chunk with these bytes.
fn encode_chunk(bytes: &str) -> String {
    format!("{:x}\r\n{bytes}\r\n", bytes.len())
}

async fn start_listener(app: &TestApp) -> Listener {
    Listener::start(app.router.clone(), crate::support::short_limits()).await
}

/// Serves the app, and runs this client against it.
async fn run_client(app: &TestApp, client: impl FnOnce(SocketAddr) + Send + 'static) {
    let listener = start_listener(app).await;
    let address = listener.address;
    run_blocking(move || client(address)).await;
}

/// Serves the app like [`run_client`], and passes the token of a new leader to the client.
async fn run_client_as_lead(app: &TestApp, client: impl FnOnce(SocketAddr, &str) + Send + 'static) {
    let lead = app.as_member(Role::Lider).await;
    let token = lead.credential().to_owned();
    run_client(app, move |address| client(address, &token)).await;
}

/// Asserts that the next response has this status and error code, and that the connection then
/// closes.
#[track_caller]
fn assert_refused_and_closed(wire: &mut Wire, status: u16, code: &str) -> Reply {
    let reply = wire.read_reply().expect_refusal(status, code);
    assert!(reply.closes_connection(), "{reply:?}");
    assert_eq!(wire.read_to_end(), "");
    reply
}

/// Returns a router with a single route, whose answer has 64 MB.
fn long_answer_router() -> Router {
    Router::new().route("/", get(|| async { vec![b'x'; 64 << 20] }))
}
