//! Connections: timeouts, the cap, and how they end.

mod cap;
mod floods;
mod heads;
mod refusals;
mod stop;
mod timeouts;

use axum::{Router, routing::get};

use crate::support::{Listener, TestApp};

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

/// A service of one route with an answer of 64 MB.
fn long_answer() -> Router {
    Router::new().route("/", get(|| async { vec![b'x'; 64 << 20] }))
}
