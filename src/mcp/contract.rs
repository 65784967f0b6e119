//! The rules of `POST /api/mcp` that are not in the protocol library: authentication, limits, and
//! the format of errors.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderValue, Method, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{MethodRouter, any},
};
use gateway::{Attempt, Code, Door, Error, Input, Principal, Refused, Registered};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use super::{
    challenge,
    direct::{Asked, Direct, Hosts},
    dispatch::DirectRequest,
    era::{refuse_initialize, refuse_version},
    extensions::{AcceptsStream, Arguments, MessageSize},
    handler::{Handler, audit_hidden_tool},
    message::{self, ENVELOPE, Message, TooLarge},
    narrowing::Narrowing,
    offered::Offered,
    progress::{KEEP_ALIVE, accepts_stream},
    protocol_errors::{request_id, with_request_id},
    url_origin::url_origin,
};
use crate::{
    app::App,
    http::{self, ErrorAnswer, bearer_token, is_json},
    intake::{Incoming, SMALL},
};

type Mcp = StreamableHttpService<Handler, NeverSessionManager>;

/// The state that all requests share.
struct Endpoint {
    app: App,
    hosts: Hosts,
    offered: Arc<Offered>,
    mcp: Mcp,
}

/// Builds the route of the MCP endpoint.
pub fn mcp_route(app: &App) -> MethodRouter {
    let offered = Arc::new(Offered::new(&app.gateway.registry));
    let handler = Handler::new(app, offered.clone());
    let hosts = accepted_hosts(&app.gateway.services.public_url);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(Some(KEEP_ALIVE))
        .with_allowed_hosts(hosts.clone())
        .with_allowed_origins([url_origin(&app.gateway.services.public_url)])
        .enforce_origin_validation()
        .with_max_request_body_bytes(2 * SMALL);
    let manager = Arc::new(NeverSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), manager, config);
    let endpoint = Arc::new(Endpoint {
        app: app.clone(),
        hosts: Hosts::new(&hosts),
        offered,
        mcp,
    });
    any(move |request: Request| {
        let endpoint = endpoint.clone();
        async move {
            let presented = request.headers().contains_key(header::AUTHORIZATION);
            let path = request.uri().path().to_owned();
            match endpoint.serve(request).await {
                Ok(response) => response,
                Err(error) => {
                    let services = &endpoint.app.gateway.services;
                    challenge::with_challenge(error, services, &path, presented)
                }
            }
        }
    })
}

impl Endpoint {
    async fn serve(&self, request: Request) -> Result<Response, Error> {
        let app = &self.app;
        let (parts, body) = request.into_parts();
        let principal = match app
            .gateway
            .authenticate(bearer_token(&parts.headers), Door::Mcp)
            .await
        {
            Ok(principal) => principal,
            Err(refused) => return Err(record_refusal(app, refused, &parts, body).await),
        };
        http::note_caller(&parts, Some(&principal));
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
        let narrowing = Narrowing::from_parts(&parts)?;
        let registry = &app.gateway.registry;
        let shown = |operation: &&Registered| narrowing.shows_tool(operation, &principal);
        let longest = |operation: &Registered| operation.spec.body_limit + ENVELOPE;
        let largest = || {
            let tools = registry.operations.iter().filter(shown);
            tools.map(longest).max().unwrap_or_default()
        };
        let incoming = Incoming::new(&parts.headers, body);
        let read = message::read_message(&app.intake, incoming, largest, |name| {
            let (_, operation) = self.offered.find_tool(registry, name)?;
            Some(if shown(&operation) {
                longest(operation)
            } else {
                SMALL
            })
        });
        let message = match read.await? {
            Ok(message) => message,
            Err(TooLarge::Message(limit)) => return Err(Error::body_too_large(limit)),
            Err(TooLarge::Tool(name, limit)) => {
                let too_large = || Error::body_too_large(limit);
                let (_, operation) = self
                    .offered
                    .find_tool(registry, &name)
                    .ok_or_else(too_large)?;
                let origin = http::call_origin(&parts, Door::Mcp);
                if !shown(&operation) {
                    // A hidden tool must look like an unknown one.
                    audit_hidden_tool(app, operation, &principal, &origin).await;
                    return Err(too_large());
                }
                let input = async { Err::<Input, _>(operation.spec.too_large_error()) };
                let refused = app
                    .gateway
                    .invoke(operation, Some(&principal), &origin, input);
                let refused = refused.await.map(|_| operation.spec.too_large_error());
                return Err(refused.unwrap_or_else(|refused| refused));
            }
        };
        let (envelope, url) = (&message.envelope, &app.gateway.services.public_url);
        let at = (&parts, url.as_str());
        if let Some(refusal) =
            challenge::insufficient_scope(&principal, registry, &narrowing, envelope, at)
        {
            return Ok(refusal);
        }
        if let Some(refusal) = refuse_version(&parts, &message.envelope) {
            return Ok(refusal);
        }
        if message.is_initialize
            && let Some(refusal) = refuse_initialize(&parts, &message.envelope)
        {
            return Ok(refusal);
        }
        let direct = Direct::recognise(&self.hosts, &parts, &message.envelope);
        let direct = direct.filter(|direct| match &direct.asked {
            Asked::List => true,
            Asked::Call(name) => {
                let found = self.offered.find_tool(registry, name);
                found.is_some_and(|(_, operation)| shown(&operation))
            }
        });
        if let Some(direct) = direct {
            let request = DirectRequest {
                app: app.clone(),
                offered: self.offered.clone(),
                parts,
                principal,
                narrowing,
                direct,
                size: MessageSize(message.size),
            };
            return Ok(request.respond(message.arguments).await);
        }
        self.forward_to_library(parts, principal, narrowing, message)
            .await
    }

    /// Passes a message to the protocol library.
    async fn forward_to_library(
        &self,
        mut parts: Parts,
        principal: Principal,
        narrowing: Narrowing,
        message: Message,
    ) -> Result<Response, Error> {
        let request_id = request_id(&parts).to_owned();
        parts.extensions.insert(MessageSize(message.size));
        parts.extensions.insert(Arguments::new(message.arguments));
        parts.extensions.insert(principal);
        parts.extensions.insert(narrowing);
        parts
            .extensions
            .insert(AcceptsStream(accepts_stream(&parts.headers)));
        // The library requires both types in `Accept`, although most responses are JSON.
        let accept = HeaderValue::from_static("application/json, text/event-stream");
        parts.headers.insert(header::ACCEPT, accept);
        parts.headers.insert(header::CONTENT_TYPE, JSON);
        parts.headers.remove(header::CONTENT_LENGTH);
        let request = Request::from_parts(parts, Body::from(message.text));
        let mut response = to_error_object(self.mcp.handle(request).await.map(Body::new))?;
        // The common headers of all responses, which are added later, contain `Cache-Control`.
        response.headers_mut().remove(header::CACHE_CONTROL);
        with_request_id(response, &request_id).await
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Records a rejected credential and returns the error. If the owner of the credential is known,
/// the audit entry names the called tool, provided that its name is at the beginning of the
/// message.
async fn record_refusal(app: &App, refused: Refused, parts: &Parts, body: Body) -> Error {
    const LONGEST_LOOK: Duration = Duration::from_secs(2);
    let registry = &app.gateway.registry;
    let endpoint = registry.json_rpc_page();
    let mut attempt = endpoint.map_or(Attempt::Endpoint("mcp"), |page| {
        Attempt::Endpoint(page.spec.name)
    });
    if refused.has_known_owner() && parts.method == Method::POST {
        let mut incoming = Incoming::new(&parts.headers, body);
        let begun = tokio::time::timeout(LONGEST_LOOK, incoming.read_beginning()).await;
        if let Ok(Ok(text)) = begun
            && let Some(called) = message::called_tool(text).and_then(|name| registry.find(&name))
            && called.spec.tool
        {
            attempt = Attempt::Operation(&called.spec);
        }
    }
    let origin = http::call_origin(parts, Door::Mcp);
    app.gateway
        .record_refused_credential(refused, attempt, &origin)
}

/// Converts plain-text errors of the library to error objects. JSON-RPC responses stay unchanged.
fn to_error_object(response: Response) -> Result<Response, Error> {
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
            tracing::error!(%status, "a biblioteca do protocolo MCP falhou");
            Error::new(Code::INTERNAL)
        }
        // The library reports an unparseable message as an unsupported media type.
        _ => message::invalid_message("deve ser uma mensagem JSON-RPC 2.0"),
    })
}

/// Returns the accepted `Host` values: the public host and loopback.
fn accepted_hosts(public_url: &str) -> Vec<String> {
    let host = url_origin(public_url);
    let host = host
        .split_once("://")
        .map_or(host.as_str(), |(_, host)| host);
    ["localhost", "127.0.0.1", "[::1]", host]
        .map(Into::into)
        .into()
}
