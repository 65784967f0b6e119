//! The Model Context Protocol over HTTP: for legacy clients, which call `initialize`, and for
//! modern ones (2026-07-28), which do not.

mod broken;
mod calls;
mod dispatch;
mod http;
mod legacy;
mod library;
mod metadata;
mod renamed;
mod skills_extension;
mod stateless;
mod traces;

use axum::http::Method;
use domain::Role;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

const MODERN: &str = "2026-07-28";
const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/// The fields in `_meta` by which the service recognises a modern client.
const META: [&str; 2] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
];

async fn agent_client(app: &TestApp) -> Client {
    let member = app.add_member(Role::Admin).await;
    app.token_client(&member).await
}

async fn post_message(client: &Client, body: impl Into<String>) -> Answer {
    let body: String = body.into();
    client
        .send(Method::POST, "/api/mcp", Some(body.into()))
        .await
}

fn rpc_message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// Returns the `_meta` of every modern request.
fn modern_meta() -> Value {
    json!({ META[0]: MODERN, META[1]: {} })
}

/// Returns a client that sends the headers of a modern request.
fn with_modern_headers(client: &Client, method: &str) -> Client {
    client
        .with_header("mcp-protocol-version", MODERN)
        .with_header("mcp-method", method)
}

#[track_caller]
fn assert_rpc_error(answer: &Answer, status: u16, code: i64) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.body["error"]["code"], code, "{}", answer.text);
    assert_eq!(answer.body["jsonrpc"], "2.0", "{}", answer.text);
    assert_eq!(answer.headers["content-type"], "application/json");
}

#[track_caller]
fn assert_error_object(answer: &Answer, status: u16, code: &str) {
    assert_eq!(
        (answer.status, answer.error_code()),
        (status, code),
        "{}",
        answer.text
    );
    assert_eq!(
        answer.headers["content-type"], "application/json",
        "{}",
        answer.text
    );
    assert!(!answer.body["error"].as_str().expect("a message").is_empty());
}
