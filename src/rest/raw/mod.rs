//! Raw routes: what only HTTP can serve.

mod artifact;
mod media;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::{MethodRouter, get},
};
use tools::registry::{RawKind, RawRoute};

use crate::app::App;

pub(super) use artifact::aliases;

/// The handler of a raw route.
pub(super) fn handler(app: &App, route: &RawRoute, mcp: &MethodRouter) -> MethodRouter {
    match route.kind {
        RawKind::Artifact => artifact::route(app, route.file_name()),
        RawKind::Mcp => mcp.clone(),
        RawKind::Media => {
            let app = app.clone();
            get(move |params, request| media::serve(app.clone(), params, request))
        }
    }
}

fn set(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// Whether the client has what one of these tags names (RFC 9110 §13.1.2).
fn is_known(asked: &HeaderMap, etags: &[String]) -> bool {
    let known = asked.get(header::IF_NONE_MATCH);
    let known = known.and_then(|v| v.to_str().ok()).unwrap_or_default();
    known
        .split(',')
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == "*" || etags.iter().any(|etag| etag == tag))
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
