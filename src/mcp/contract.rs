//! What the contract asks of `POST /api/mcp` beyond the protocol library: who is let in, and how
//! refusals look.

use std::{borrow::Cow, sync::Arc};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    http::{HeaderValue, Method, header},
    response::{IntoResponse, Response},
    routing::{MethodRouter, any},
};
use http_body_util::BodyExt;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use serde::{Deserialize, de::IgnoredAny};
use tools::registry::{Code, Error, ErrorBody};

use super::{handler::Handler, narrowing::Narrowing};
use crate::{
    app::App,
    rest::{ErrorAnswer, bearer, is_json},
};

/// The largest operation body there is; each operation keeps its own limit.
const BODY_LIMIT: usize = 4_000_000;

type Mcp = StreamableHttpService<Handler, NeverSessionManager>;

/// The endpoint.
pub fn service(app: &App) -> MethodRouter {
    let handler = Handler::new(app);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_allowed_hosts(hosts(&app.gateway.services.public_url))
        .with_allowed_origins([origin(&app.gateway.services.public_url)])
        .enforce_origin_validation()
        .with_max_request_body_bytes(BODY_LIMIT);
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
    let caller = app.gateway.authenticate(bearer(&parts.headers)).await?;
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
    let body = read(body).await?;
    require_message(&body)?;
    parts.extensions.insert(caller);
    parts.extensions.insert(narrowing);
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
    Ok(restate(response.map(Body::new)).await)
}

async fn read(body: Body) -> Result<Bytes, Error> {
    let too_large = || {
        Error::new(Code::PayloadTooLarge)
            .because(format!("A mensagem passa de {BODY_LIMIT} bytes."))
            .with("limit", BODY_LIMIT.into())
    };
    to_bytes(body, BODY_LIMIT).await.map_err(|error| {
        let inner = error.into_inner();
        if inner.is::<http_body_util::LengthLimitError>() {
            too_large()
        } else {
            Error::invalid("corpo", "json", "não chegou inteiro")
        }
    })
}

/// Refuses (400) what is not one JSON-RPC 2.0 message.
fn require_message(body: &[u8]) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        jsonrpc: Option<Cow<'a, str>>,
        #[serde(borrow)]
        method: Option<Cow<'a, str>>,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }
    let refused = |message: &str| Err(Error::invalid("corpo", "json-rpc", message));
    match serde_json::from_slice::<Message<'_>>(body) {
        Err(_) if body.trim_ascii_start().starts_with(b"[") => {
            refused("deve ser uma só mensagem: lotes não são aceitos")
        }
        Err(_) => refused("deve ser uma mensagem JSON-RPC 2.0"),
        Ok(message) => {
            let says_something =
                message.method.is_some() || message.result.is_some() || message.error.is_some();
            if message.jsonrpc.as_deref() == Some("2.0") && says_something {
                Ok(())
            } else {
                refused("deve ter `jsonrpc` igual a \"2.0\" e `method`")
            }
        }
    }
}

/// A refusal of the library in plain text becomes the error object; JSON-RPC stays as it is.
async fn restate(response: Response) -> Response {
    let media_type = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    let is_json = media_type.is_some_and(|m| m.starts_with("application/json"));
    let status = response.status();
    if is_json || status.is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let (code, error) = match status.as_u16() {
        403 => (
            "ORIGIN_NOT_ALLOWED",
            "Host ou Origin não aceito; confira PAUTA_PUBLIC_URL.".to_owned(),
        ),
        _ => (
            "INVALID_INPUT",
            String::from_utf8_lossy(&text).trim().to_owned(),
        ),
    };
    let body = serde_json::to_string(&ErrorBody {
        error,
        code,
        details: None,
    })
    .unwrap_or_default();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    Response::from_parts(parts, Body::from(body))
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
