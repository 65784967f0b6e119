//! What the contract asks of `POST /api/mcp` beyond the protocol library: who is let in, and how
//! refusals look.

use std::{borrow::Cow, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    http::{HeaderValue, Method, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{MethodRouter, any},
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use serde::Deserialize;
use tools::registry::{Attempt, Code, Door, Error, RawKind, Refused, Registry, Spec};

use super::{era::refuse_initialize, handler::Handler, narrowing::Narrowing, splice::Answered};
use crate::{
    app::App,
    rest::{ErrorAnswer, bearer, is_json, origin as origin_of},
};

/// What a message holds beside the arguments of its tool.
const ENVELOPE: usize = 16_000;

/// The size of a message, which the limit of the operation it calls is held against.
#[derive(Clone, Copy)]
pub(super) struct MessageSize(usize);

impl MessageSize {
    /// Refuses (413) a message whose arguments cannot fit into a body of this operation.
    pub(super) fn require(self, spec: &Spec) -> Result<(), Error> {
        if self.0 > spec.body_limit + ENVELOPE {
            return Err(spec.too_large());
        }
        Ok(())
    }
}

type Mcp = StreamableHttpService<Handler, NeverSessionManager>;

/// The endpoint.
pub fn service(app: &App) -> MethodRouter {
    let handler = Handler::new(app);
    let limit = limit(&app.gateway.registry);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_allowed_hosts(hosts(&app.gateway.services.public_url))
        .with_allowed_origins([origin(&app.gateway.services.public_url)])
        .enforce_origin_validation()
        .with_max_request_body_bytes(limit);
    let manager = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), manager, config);
    let app = app.clone();
    any(move |request: Request| {
        let (app, mcp) = (app.clone(), mcp.clone());
        async move {
            match serve(&app, &mcp, limit, request).await {
                Ok(response) => response,
                Err(error) => ErrorAnswer(error).into_response(),
            }
        }
    })
}

/// The longest message there is: a call of the tool with the largest body.
fn limit(registry: &Registry) -> usize {
    let tools = registry.operations.iter().filter(|o| o.spec.tool);
    tools.map(|o| o.spec.body_limit).max().unwrap_or_default() + ENVELOPE
}

async fn serve(app: &App, mcp: &Mcp, limit: usize, request: Request) -> Result<Response, Error> {
    let (mut parts, body) = request.into_parts();
    let caller = match app.gateway.authenticate(bearer(&parts.headers)).await {
        Ok(caller) => caller,
        Err(refused) => return Err(turn_away(app, refused, &parts, body).await),
    };
    if parts.method != Method::POST {
        let mut response = ErrorAnswer(Error::new(Code::MethodNotAllowed)).into_response();
        response
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static("POST"));
        return Ok(response);
    }
    if !is_json(&parts.headers) {
        return Err(Error::new(Code::UnsupportedMediaType));
    }
    let narrowing = Narrowing::of(&parts)?;
    let body = read(body, limit).await?;
    if require_message(&body)? == "initialize"
        && let Some(refusal) = refuse_initialize(&parts.headers, &body)
    {
        return Ok(refusal);
    }
    parts.extensions.insert(MessageSize(body.len()));
    parts.extensions.insert(caller);
    parts.extensions.insert(narrowing);
    let answered = Answered::default();
    parts.extensions.insert(answered.clone());
    // Any Accept is served as JSON; the library wants both types named.
    let accept = HeaderValue::from_static("application/json, text/event-stream");
    parts.headers.insert(header::ACCEPT, accept);
    parts.headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    parts.headers.remove(header::CONTENT_LENGTH);
    let response = mcp
        .handle(Request::from_parts(parts, Body::from(body)))
        .await;
    restate(answered.put_into(response.map(Body::new)).await)
}

/// What to tell a caller without a credential that holds. Where it is known whose it was, the trail
/// names the tool that it was presented for, as far as a short look at the message tells.
async fn turn_away(app: &App, refused: Refused, parts: &Parts, body: Body) -> Error {
    const LONGEST_LOOK: Duration = Duration::from_secs(2);
    let registry = &app.gateway.registry;
    let mut attempt = registry
        .raw
        .iter()
        .find(|route| route.kind == RawKind::Mcp)
        .map_or(Attempt::Route("mcp"), |route| {
            Attempt::Route(route.operation_id)
        });
    if refused.is_known() && parts.method == Method::POST {
        let message = to_bytes(body, 4 * ENVELOPE);
        let message = tokio::time::timeout(LONGEST_LOOK, message).await;
        if let Ok(Ok(message)) = message
            && let Some(called) = called_tool(&message).and_then(|name| registry.find(&name))
            && called.spec.tool
        {
            attempt = Attempt::Operation(&called.spec);
        }
    }
    let origin = origin_of(app, parts, Door::Mcp);
    app.gateway.turn_away(refused, attempt, &origin)
}

/// The tool that a message calls.
fn called_tool(message: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Message {
        method: String,
        params: Named,
    }
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let message: Message = serde_json::from_slice(message).ok()?;
    (message.method == "tools/call").then_some(message.params.name)
}

async fn read(body: Body, limit: usize) -> Result<Bytes, Error> {
    to_bytes(body, limit).await.map_err(|error| {
        let inner = error.into_inner();
        if inner.is::<http_body_util::LengthLimitError>() {
            Error::too_large(limit)
        } else {
            Error::invalid("corpo", "json", "não chegou inteiro")
        }
    })
}

/// The method of the message; refuses (400) what is not one JSON-RPC 2.0 message.
fn require_message(body: &[u8]) -> Result<Cow<'_, str>, Error> {
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        jsonrpc: Option<Cow<'a, str>>,
        #[serde(borrow)]
        method: Option<Cow<'a, str>>,
    }
    let refused = |message: &str| Err(not_a_message(message));
    match serde_json::from_slice::<Message<'_>>(body) {
        Err(_) if body.trim_ascii_start().starts_with(b"[") => {
            refused("deve ser uma só mensagem: lotes não são aceitos")
        }
        Err(_) => refused("deve ser uma mensagem JSON-RPC 2.0"),
        Ok(Message {
            jsonrpc,
            method: Some(method),
        }) if jsonrpc.as_deref() == Some("2.0") => Ok(method),
        Ok(_) => refused("deve ter `jsonrpc` igual a \"2.0\" e `method`"),
    }
}

fn not_a_message(message: &str) -> Error {
    Error::invalid("corpo", "json-rpc", message)
}

/// A refusal of the library in plain text becomes the error object; JSON-RPC stays as it is.
fn restate(response: Response) -> Result<Response, Error> {
    let media_type = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    let is_json = media_type.is_some_and(|m| m.starts_with("application/json"));
    let status = response.status();
    if is_json || status.is_success() {
        return Ok(response);
    }
    Err(match status.as_u16() {
        403 => Error::new(Code::OriginNotAllowed),
        500.. => {
            tracing::error!(%status, "the protocol library failed");
            Error::new(Code::Internal)
        }
        // It takes what it cannot read for another type of content.
        _ => not_a_message("deve ser uma mensagem JSON-RPC 2.0"),
    })
}

/// Hosts under which the endpoint answers: the public one, and loopback.
fn hosts(public_url: &str) -> Vec<String> {
    let host = origin(public_url);
    let host = host
        .split_once("://")
        .map_or(host.as_str(), |(_, host)| host);
    ["localhost", "127.0.0.1", "[::1]", host]
        .map(Into::into)
        .into()
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    format!("{scheme}://{}", rest.split('/').next().unwrap_or(rest))
}
