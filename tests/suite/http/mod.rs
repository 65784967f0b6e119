//! Unusual, hostile or broken requests, and the order of the checks.

mod bodies;
mod connections;
mod forms;
mod headers;
mod names;
mod order;
mod paths;
mod strict;

use axum::{
    body::{Body, Bytes},
    http::Method,
};
use futures::stream;

use crate::support::{Answer, Client};

const NO_EVENT: &str = "0198c0de-0000-7000-8000-000000000000";

async fn post_text(client: &Client, path: &str, body: impl Into<Body>) -> Answer {
    client.send(Method::POST, path, Some(body.into())).await
}

/// Returns a body that never sends anything, so that reading it never ends.
fn silent_body() -> Body {
    Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>())
}

/// Returns a valid demand padded to a length.
fn padded_demand(length: usize) -> String {
    let demand = r#"{"title":"A"}"#;
    format!("{demand}{}", " ".repeat(length - demand.len()))
}
