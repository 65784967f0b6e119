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

use crate::support::{Listener, Reply, TestApp, Wire, blocking};

/// A head with a credential.
fn asking(method: &str, path: &str, token: &str, lines: &str) -> String {
    let lines = format!("Authorization: Bearer {token}\r\n{lines}");
    crate::support::head(method, path, &lines)
}

/// Header lines for a body of this type and length.
fn carrying(media_type: &str, length: usize) -> String {
    format!("Content-Type: {media_type}\r\nContent-Length: {length}\r\n")
}

/// One chunk with these bytes.
fn chunk(bytes: &str) -> String {
    format!("{:x}\r\n{bytes}\r\n", bytes.len())
}

async fn served(app: &TestApp) -> Listener {
    Listener::start(app.router.clone(), crate::support::short_limits()).await
}

/// Serves the app, and runs this client against it.
async fn serve_to(app: &TestApp, client: impl FnOnce(SocketAddr) + Send + 'static) {
    let listener = served(app).await;
    let address = listener.address;
    blocking(move || client(address)).await;
}

/// The same, with the credential of a new leader.
async fn serve_to_lead(app: &TestApp, client: impl FnOnce(SocketAddr, &str) + Send + 'static) {
    let lead = app.as_member(Role::Lider).await;
    let token = lead.credential().to_owned();
    serve_to(app, move |address| client(address, &token)).await;
}

/// Asserts that the next reply has this status and error code, and is the last one.
#[track_caller]
fn refused_and_closed(wire: &mut Wire, status: u16, code: &str) -> Reply {
    let reply = wire.reply().refused(status, code);
    assert!(reply.closes(), "{reply:?}");
    assert_eq!(wire.rest(), "");
    reply
}

/// A service of one route with an answer of 64 MB.
fn long_answer() -> Router {
    Router::new().route("/", get(|| async { vec![b'x'; 64 << 20] }))
}
