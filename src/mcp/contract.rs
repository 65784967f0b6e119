//! What the contract asks of `POST /api/mcp` beyond the protocol library: who is let in, and how
//! refusals look.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderValue, Method, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{MethodRouter, any},
};
use gateway::{Attempt, Code, Door, Error, Input, Refused, Registered};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use super::{
    era::refuse_initialize,
    extensions::{Arguments, MessageSize},
    handler::Handler,
    message::{self, ENVELOPE, Message, TooLarge},
    narrowing::Narrowing,
    splice::Answered,
};
use crate::{
    app::App,
    http::{self, ErrorAnswer, bearer, is_json},
    intake::{Incoming, SMALL},
};

type Mcp = StreamableHttpService<Handler, NeverSessionManager>;

/// The endpoint.
pub fn service(app: &App) -> MethodRouter {
    let handler = Handler::new(app);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_allowed_hosts(hosts(&app.gateway.services.public_url))
        .with_allowed_origins([url_origin(&app.gateway.services.public_url)])
        .enforce_origin_validation()
        .with_max_request_body_bytes(2 * SMALL);
    let manager = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), manager, config);
    let app = app.clone();
    any(move |request: Request| {
        let (app, mcp) = (app.clone(), mcp.clone());
        async move {
            match serve(&app, &mcp, request).await {
                Ok(response) => response,
                Err(error) => ErrorAnswer(error).into_response(),
            }
        }
    })
}

async fn serve(app: &App, mcp: &Mcp, request: Request) -> Result<Response, Error> {
    let (mut parts, body) = request.into_parts();
    let caller = match app.gateway.authenticate(bearer(&parts.headers)).await {
        Ok(caller) => caller,
        Err(refused) => return Err(turn_away(app, refused, &parts, body).await),
    };
    if parts.method != Method::POST {
        let mut response = ErrorAnswer(Error::new(Code::METHOD_NOT_ALLOWED)).into_response();
        response
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static("POST"));
        return Ok(response);
    }
    if !is_json(&parts.headers) {
        return Err(Error::new(Code::UNSUPPORTED_MEDIA_TYPE));
    }
    let narrowing = Narrowing::of(&parts)?;
    let shown = |operation: &&Registered| narrowing.shows(&operation.spec, &caller);
    let tool = |name: &str| app.gateway.registry.find(name).filter(shown);
    let longest = |operation: &Registered| operation.spec.body_limit + ENVELOPE;
    let tools = app.gateway.registry.operations.iter().filter(shown);
    let largest = tools.map(longest).max().unwrap_or_default();
    let incoming = Incoming::new(&parts.headers, body);
    let read = message::read(&app.intake, incoming, largest, |name| {
        tool(name).map(longest)
    });
    let message = match read.await? {
        Ok(message) => message,
        Err(TooLarge::Message(limit)) => return Err(Error::too_large(limit)),
        Err(TooLarge::Tool(name)) => {
            let operation = tool(&name).ok_or_else(|| Error::too_large(largest))?;
            let origin = http::origin(app, &parts, Door::Mcp);
            let input = async { Err::<Input, _>(operation.spec.too_large()) };
            let refused = app.gateway.invoke(operation, Some(&caller), &origin, input);
            let refused = refused.await.map(|_| operation.spec.too_large());
            return Err(refused.unwrap_or_else(|refused| refused));
        }
    };
    let Message {
        envelope,
        arguments,
        size,
        is_initialize,
    } = message;
    if is_initialize && let Some(refusal) = refuse_initialize(&parts.headers, &envelope) {
        return Ok(refusal);
    }
    parts.extensions.insert(MessageSize(size));
    parts.extensions.insert(Arguments::new(arguments));
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
        .handle(Request::from_parts(parts, Body::from(envelope)))
        .await;
    restate(answered.put_into(response.map(Body::new)).await)
}

/// What to tell a caller without a credential that holds. Where it is known whose it was, the trail
/// names the tool that it was presented for, as far as a short look at the message tells.
async fn turn_away(app: &App, refused: Refused, parts: &Parts, body: Body) -> Error {
    const LONGEST_LOOK: Duration = Duration::from_secs(2);
    let registry = &app.gateway.registry;
    let endpoint = registry.json_rpc();
    let mut attempt = endpoint.map_or(Attempt::Endpoint("mcp"), |page| {
        Attempt::Endpoint(page.spec.name)
    });
    if refused.is_known() && parts.method == Method::POST {
        let mut incoming = Incoming::new(&parts.headers, body);
        let begun = tokio::time::timeout(LONGEST_LOOK, incoming.begin()).await;
        if let Ok(Ok(text)) = begun
            && let Some(called) = message::called_tool(text).and_then(|name| registry.find(&name))
            && called.spec.tool
        {
            attempt = Attempt::Operation(&called.spec);
        }
    }
    let origin = http::origin(app, parts, Door::Mcp);
    app.gateway.turn_away(refused, attempt, &origin)
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
        403 => Error::new(Code::ORIGIN_NOT_ALLOWED),
        500.. => {
            tracing::error!(%status, "the protocol library failed");
            Error::new(Code::INTERNAL)
        }
        // It takes what it cannot read for another type of content.
        _ => message::refused("deve ser uma mensagem JSON-RPC 2.0"),
    })
}

/// Hosts under which the endpoint answers: the public one, and loopback.
fn hosts(public_url: &str) -> Vec<String> {
    let host = url_origin(public_url);
    let host = host
        .split_once("://")
        .map_or(host.as_str(), |(_, host)| host);
    ["localhost", "127.0.0.1", "[::1]", host]
        .map(Into::into)
        .into()
}

/// Scheme, host and port of an address.
fn url_origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    format!("{scheme}://{}", rest.split('/').next().unwrap_or(rest))
}
