//! A client that sends requests for one principal, over REST and MCP.

use std::net::{IpAddr, SocketAddr};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::ConnectInfo,
    http::{HeaderMap, Method, Request, Response, header},
};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Encodes the fields as `application/x-www-form-urlencoded`.
pub fn encode_form<K: AsRef<str>, V: AsRef<str>>(fields: &[(K, V)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}

/// Sends requests with the credential, headers and IP address of one principal.
#[derive(Clone)]
pub struct Client {
    router: Router,
    bearer: Option<String>,
    headers: Vec<(&'static str, String)>,
    mcp: String,
    address: Option<IpAddr>,
}

/// An HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Bytes,
    pub text: String,
    /// `null` when the body is not JSON.
    pub body: Value,
}

impl Answer {
    /// The error code.
    pub fn error_code(&self) -> &str {
        let code = self.body["code"].as_str();
        let code = code.or_else(|| self.body["error"]["data"]["code"].as_str());
        code.unwrap_or_default()
    }

    /// Asserts this status and returns the response.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// Asserts this status and error code.
    #[track_caller]
    pub fn expect_refusal(self, status: u16, code: &str) -> Self {
        assert_eq!(
            (self.status, self.error_code()),
            (status, code),
            "{}",
            self.text
        );
        self
    }

    /// Asserts a 400 and returns the names of the invalid fields.
    #[track_caller]
    pub fn invalid_fields(&self) -> Vec<&str> {
        assert_eq!(
            (self.status, self.error_code()),
            (400, "INVALID_INPUT"),
            "{}",
            self.text
        );
        let faults = self.body["details"]["fields"].as_array().expect("faults");
        faults
            .iter()
            .map(|fault| fault["field"].as_str().expect("a field"))
            .collect()
    }
}

/// Splits the text of a tool's error into the message and the id of the request, which is in the last
/// line.
pub fn split_request_id(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once("\nPedido: ") {
        Some((text, id)) => (text, Some(id)),
        None => (text, None),
    }
}

/// The result of a tool call.
#[derive(Debug)]
pub struct Tool {
    pub is_error: bool,
    /// The text, without the last line of an error.
    pub text: String,
    /// The id of the request, from the last line of an error.
    pub request_id: Option<String>,
    /// The structured content; `null` if the result has none.
    pub structured: Value,
    /// The JSON-RPC error code, if the response is a JSON-RPC error instead of a tool result.
    pub rpc_error: Option<i64>,
}

impl Client {
    pub fn new(router: Router, bearer: Option<String>) -> Self {
        Self {
            router,
            bearer,
            headers: vec![],
            mcp: "/api/mcp".into(),
            address: None,
        }
    }

    /// Returns a copy of the client that connects from this IP address.
    pub fn with_address(&self, address: &str) -> Self {
        Self {
            address: Some(address.parse().expect("an address")),
            ..self.clone()
        }
    }

    /// Returns a copy of the client that calls this instance of the service.
    pub fn at_instance(&self, app: &super::TestApp) -> Self {
        Self {
            router: app.router.clone(),
            ..self.clone()
        }
    }

    /// The bearer credential; empty if the client has none.
    pub fn credential(&self) -> &str {
        self.bearer.as_deref().unwrap_or_default()
    }

    pub fn with_header(&self, name: &'static str, value: impl Into<String>) -> Self {
        let mut client = self.clone();
        client.headers.push((name, value.into()));
        client
    }

    /// Returns a copy of the client that adds this query string to the URL of the MCP endpoint.
    pub fn with_mcp_query(&self, query: &str) -> Self {
        Self {
            mcp: format!("/api/mcp?{query}"),
            ..self.clone()
        }
    }

    pub fn with_idempotency_key(&self, key: &str) -> Self {
        self.with_header("idempotency-key", key)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body.to_string().into()))
            .await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body.to_string().into()))
            .await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(body.to_string().into()))
            .await
    }

    /// Creates a demand with these fields; returns the event's id.
    pub async fn create_demand(&self, mut fields: Value) -> String {
        if fields["title"].is_null() {
            fields["title"] = "Festa junina".into();
        }
        let created = self.post("/api/demanda", fields).await.expect(200).body;
        created["event_id"].as_str().expect("an id").to_owned()
    }

    /// Requests the event as this principal.
    pub async fn load_event(&self, id: &str) -> Value {
        self.get(&format!("/api/eventos/{id}"))
            .await
            .expect(200)
            .body["evento"]
            .clone()
    }

    /// Sends a request. A body is sent as JSON unless a header sets the content type.
    pub async fn send(&self, method: Method, path: &str, body: Option<Body>) -> Answer {
        let response = self.open(method, path, body).await;
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.expect("the body arrives");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            bytes,
            text,
            body,
        }
    }

    /// Sends JSON; returns the response as soon as it begins.
    pub async fn open_post(&self, path: &str, body: Value) -> Response<Body> {
        let body = Some(body.to_string().into());
        self.open(Method::POST, path, body).await
    }

    /// Sends a request like [`Self::send`]; returns the response as soon as it begins.
    async fn open(&self, method: Method, path: &str, body: Option<Body>) -> Response<Body> {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(bearer) = &self.bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {bearer}"));
        }
        let given = |name: &str| self.headers.iter().any(|(given, _)| *given == name);
        if body.is_some() && !given("content-type") {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        if !given("host") {
            request = request.header(header::HOST, "127.0.0.1:8080");
        }
        let mut request = request
            .body(body.unwrap_or_default())
            .expect("a well-formed request");
        if let Some(address) = self.address {
            let peer = SocketAddr::new(address, 40_000);
            request.extensions_mut().insert(ConnectInfo(peer));
        }
        let answered = self.router.clone().oneshot(request).await;
        answered.expect("the router answers")
    }

    /// Sends one JSON-RPC request in the protocol version that uses `initialize`.
    pub async fn send_rpc(&self, method: &str, params: Value) -> Answer {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let client = self.with_header("mcp-protocol-version", "2025-11-25");
        client.post(&self.mcp, message).await
    }

    /// Sends a form.
    pub async fn post_form<K: AsRef<str>, V: AsRef<str>>(
        &self,
        path: &str,
        fields: &[(K, V)],
    ) -> Answer {
        let client = self.with_header("content-type", "application/x-www-form-urlencoded");
        client
            .send(Method::POST, path, Some(encode_form(fields).into()))
            .await
    }

    /// Sends one JSON-RPC request in protocol version 2026-07-28. Entries of `_meta` in `params`
    /// are kept.
    pub async fn send_modern_rpc(&self, method: &str, mut params: Value) -> Answer {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "suite", "version": "1" },
        });
        for (name, value) in params["_meta"].as_object().into_iter().flatten() {
            meta[name] = value.clone();
        }
        params["_meta"] = meta;
        let mut client = self
            .with_header("mcp-protocol-version", "2026-07-28")
            .with_header("mcp-method", method);
        let mut named = ["name", "uri", "taskId"].into_iter();
        if let Some(name) = named.find_map(|field| params[field].as_str()) {
            client = client.with_header("mcp-name", name);
        }
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        client.post(&self.mcp, message).await
    }

    /// Calls a tool.
    pub async fn call_tool(&self, tool: &str, arguments: Value) -> Tool {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.send_rpc("tools/call", params).await.expect(200);
        let result = &answer.body["result"];
        let is_error = result["isError"] == true;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let (text, request_id) = match is_error {
            true => split_request_id(text),
            false => (text, None),
        };
        Tool {
            is_error,
            text: text.to_owned(),
            request_id: request_id.map(str::to_owned),
            structured: result["structuredContent"].clone(),
            rpc_error: answer.body["error"]["code"].as_i64(),
        }
    }

    /// The names of the listed tools, in order.
    pub async fn tool_names(&self) -> Vec<String> {
        let answer = self.send_rpc("tools/list", json!({})).await.expect(200);
        let tools = answer.body["result"]["tools"]
            .as_array()
            .expect("a list")
            .clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }
}
