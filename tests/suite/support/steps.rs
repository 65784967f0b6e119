//! Tool calls that request progress notifications, and their streamed responses.

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, Response},
};
use futures::{StreamExt, stream::Fuse};
use serde_json::{Value, json};

use super::Client;

/// The `Accept` header that both official client libraries send.
pub const ACCEPTS_STREAM: &str = "application/json, text/event-stream";

/// An open response. Dropping it closes the connection.
pub struct OpenCall {
    pub headers: HeaderMap,
    body: Fuse<BodyDataStream>,
}

impl OpenCall {
    fn new(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        assert_eq!(parts.status, 200);
        Self {
            headers: parts.headers,
            body: body.into_data_stream().fuse(),
        }
    }

    #[track_caller]
    pub fn assert_media_type(&self, media_type: &str) {
        assert_eq!(self.headers["content-type"], media_type);
    }

    /// The next message; `None` at the end. Comments are skipped.
    pub async fn next_message(&mut self) -> Option<Value> {
        loop {
            let bytes = tokio::time::timeout(Duration::from_secs(60), self.body.next());
            let bytes = bytes.await.expect("in time")?.expect("bytes");
            let text = String::from_utf8(bytes.to_vec()).expect("text");
            if text.starts_with('{') {
                return serde_json::from_str(&text).ok();
            }
            assert!(text.ends_with("\n\n"), "{text:?}");
            let mut lines = text.trim_end().lines();
            if let Some(data) = lines.find_map(|line| line.strip_prefix("data: ")) {
                return Some(serde_json::from_str(data).expect("JSON"));
            }
        }
    }

    /// Reads to the end; returns the parameters of the progress notifications, and the result.
    pub async fn read_steps_and_result(mut self) -> (Vec<Value>, Value) {
        let mut steps = vec![];
        while let Some(message) = self.next_message().await {
            if message["method"] == "notifications/progress" {
                assert!(message.get("id").is_none(), "{message}");
                steps.push(message["params"].clone());
            } else {
                assert!(self.next_message().await.is_none());
                return (steps, message);
            }
        }
        panic!("the stream has no result after {steps:?}");
    }
}

/// Asserts that the steps belong to this token and that each is further than the one before it.
#[track_caller]
pub fn assert_steps(steps: &[Value], token: &Value) {
    let mut last = -1.0;
    for step in steps {
        assert_eq!(&step["progressToken"], token, "{step}");
        let progress = step["progress"].as_f64().expect("a number");
        assert!(progress > last, "{steps:?}");
        assert!(step["total"].as_f64().is_none_or(|total| progress <= total));
        assert!(!step["message"].as_str().expect("a text").is_empty());
        last = progress;
    }
}

impl Client {
    /// Calls a tool in protocol version 2025-11-25 and requests progress notifications.
    pub async fn call_with_steps(&self, tool: &str, arguments: Value, token: Value) -> OpenCall {
        let params = json!({
            "name": tool, "arguments": arguments, "_meta": { "progressToken": token },
        });
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let client = self
            .with_header("mcp-protocol-version", "2025-11-25")
            .with_header("accept", ACCEPTS_STREAM);
        OpenCall::new(client.open_post("/api/mcp", message).await)
    }

    /// Calls a tool in protocol version 2026-07-28 and requests progress notifications.
    pub async fn call_with_modern_steps(
        &self,
        tool: &str,
        arguments: Value,
        token: Value,
    ) -> OpenCall {
        let params = json!({
            "name": tool, "arguments": arguments, "_meta": {
                "progressToken": token,
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        });
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let client = self
            .with_header("mcp-protocol-version", "2026-07-28")
            .with_header("mcp-method", "tools/call")
            .with_header("mcp-name", tool)
            .with_header("accept", ACCEPTS_STREAM);
        OpenCall::new(client.open_post("/api/mcp", message).await)
    }
}
