//! Raw routes: what only HTTP can serve.

mod media;

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::{MethodRouter, get},
};
use tools::registry::{RawKind, RawRoute};

use crate::{app::App, artifacts::Artifact};

/// The handler of a raw route.
pub(super) fn handler(app: &App, route: &RawRoute, mcp: &MethodRouter) -> MethodRouter {
    match route.kind {
        RawKind::OpenapiJson => artifact(app.artifacts.openapi_json.clone()),
        RawKind::OpenapiYaml => artifact(app.artifacts.openapi_yaml.clone()),
        RawKind::Mcp => mcp.clone(),
        RawKind::Media => {
            let app = app.clone();
            get(move |params, request| media::serve(app.clone(), params, request))
        }
    }
}

/// A public document, rendered at start.
fn artifact(artifact: Arc<Artifact>) -> MethodRouter {
    get(move |headers: HeaderMap| {
        let artifact = artifact.clone();
        async move { document(&artifact, &headers) }
    })
}

fn document(artifact: &Artifact, headers: &HeaderMap) -> Response {
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|v| v.to_str().ok());
    let fresh = known.is_some_and(|tags| {
        tags.split(',')
            .any(|tag| tag.trim().trim_start_matches("W/") == artifact.etag || tag.trim() == "*")
    });
    let mut response = if fresh {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = Response::new(Body::from(Bytes::clone(&artifact.bytes)));
        let media_type = HeaderValue::from_static(artifact.media_type);
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, media_type);
        response
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=300"),
    );
    if let Ok(etag) = HeaderValue::from_str(&artifact.etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}

/// `GET /convite`: where an invitation is redeemed. The token stays in the fragment, which the
/// browser keeps to itself.
pub(super) async fn invitation() -> Response {
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
        connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, Html(include_str!("invitation.html"))).into_response()
}

/// `GET /readyz`: whether the database and the storage answer.
pub(super) async fn ready(app: App) -> Response {
    let services = &app.gateway.services;
    if let Err(error) = services.db.ping().await {
        tracing::error!(%error, "the database does not answer");
        return unready("o banco de dados não responde\n");
    }
    if let Err(error) = services.blobs.check().await {
        tracing::error!(%error, "the storage does not answer");
        return unready("a guarda de mídias não responde\n");
    }
    (StatusCode::OK, "pronto\n").into_response()
}

fn unready(why: &'static str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}
