//! The REST projection: the router built from the table.

mod answer;
mod log;
mod origin;
mod raw;
mod request;
mod upload;

use std::time::Instant;

use axum::{
    Router,
    extract::{RawPathParams, Request, rejection::RawPathParamsRejection},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{MethodFilter, MethodRouter, get, on},
};
use gateway::{Access, Attempt, Code, Door, Error, Verb};

pub use answer::{ErrorAnswer, answer};
pub use origin::{RequestId, bearer, origin};
pub use raw::TriedWrite;
pub use request::is_json;

use crate::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The router of every operation and raw route, with their refusals as error objects.
pub fn router(app: &App, mcp: MethodRouter) -> Router {
    let mut router = Router::new();
    for (index, operation) in app.gateway.registry.operations.iter().enumerate() {
        let app = app.clone();
        let handler = move |params: Result<RawPathParams, RawPathParamsRejection>, request| {
            let app = app.clone();
            async move {
                let mut response = serve(&app, index, params, request).await;
                let route = app.gateway.registry.operations[index].spec.path;
                response.extensions_mut().insert(log::Route(route));
                response
            }
        };
        router = router.route(
            operation.spec.path,
            on(method(operation.spec.verb), handler),
        );
    }
    for route in app.gateway.registry.raw {
        router = router.route(route.path, raw::handler(app, route, &mcp));
    }
    let ready = app.clone();
    router
        .merge(raw::aliases(app))
        .route("/convite", get(raw::invitation))
        .route("/readyz", get(move || raw::ready(ready.clone())))
        .fallback(|| async { ErrorAnswer(Error::not_found("endereço")) })
        .method_not_allowed_fallback(|| async { ErrorAnswer(Error::new(Code::MethodNotAllowed)) })
        .layer(middleware::from_fn(envelope))
}

fn method(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Put => MethodFilter::PUT,
        Verb::Patch => MethodFilter::PATCH,
        Verb::Delete => MethodFilter::DELETE,
    }
}

/// One call of an operation.
async fn serve(
    app: &App,
    index: usize,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let operation = &app.gateway.registry.operations[index];
    let (parts, body) = request.into_parts();
    let origin = origin(app, &parts, Door::Rest);
    let caller = match operation.spec.access {
        Access::Public | Access::Webhook => None,
        _ => match app.gateway.authenticate(bearer(&parts.headers)).await {
            Ok(caller) => Some(caller),
            Err(refused) => {
                let attempt = Attempt::Operation(&operation.spec);
                let error = app.gateway.turn_away(refused, attempt, &origin);
                return ErrorAnswer(error).into_response();
            }
        },
    };
    let outcome = match operation.spec.file {
        None => {
            let mut held = None;
            let input = request::merge(app, operation, params, &parts, body, &mut held);
            app.gateway
                .invoke(operation, caller.as_ref(), &origin, input)
                .await
        }
        Some(file) => {
            let mut stored = None;
            let input = upload::merge(app, operation, file, &parts.headers, body, &mut stored);
            let outcome = app
                .gateway
                .invoke(operation, caller.as_ref(), &origin, input)
                .await;
            if let Some(claim) = stored {
                claim.release(&app.gateway.services).await;
            }
            outcome
        }
    };
    match outcome {
        Ok(given) => answer(given),
        Err(error) => ErrorAnswer(error).into_response(),
    }
}

/// A refusal that no route makes, with what every answer carries.
pub fn refusal(error: Error, asked: &HeaderMap) -> Response {
    let mut response = ErrorAnswer(error).into_response();
    carry(response.headers_mut(), &RequestId::of(asked));
    response
}

fn carry(headers: &mut HeaderMap, id: &RequestId) {
    if let Ok(value) = HeaderValue::from_str(&id.0) {
        headers.insert(REQUEST_ID, value);
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
}

/// What every answer carries: its request id, no caching, no sniffing; and one log line.
async fn envelope(mut request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    // One line per request is for those who ask for it: RUST_LOG=pauta=debug.
    let line = tracing::enabled!(tracing::Level::DEBUG)
        .then(|| (request.method().clone(), request.uri().path().to_owned()));
    request.extensions_mut().insert(id.clone());
    let begun = Instant::now();
    let mut response = next.run(request).await;
    carry(response.headers_mut(), &id);
    if let Some((method, path)) = line {
        let elapsed_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let status = response.status().as_u16();
        let path = log::path(&path, response.extensions().get());
        tracing::debug!(request_id = &*id.0, %method, path, status, elapsed_us, "request");
    }
    response
}
