//! Raw routes: what only HTTP can serve.

mod artifact;
mod media;

use std::time::{Duration, Instant};

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::{MethodRouter, get},
};
use gateway::{RawKind, RawRoute};
use store::Db;

use crate::app::{App, cause};

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

/// How long the database and the storage may take to answer.
const READY_WITHIN: Duration = Duration::from_millis(1_500);
/// For how long a tried write holds: whoever may ask cannot make the disk write each time.
const WRITE_HOLDS: Duration = Duration::from_millis(500);

/// When a write was last tried, and whether the database took it.
#[derive(Default)]
pub struct TriedWrite(tokio::sync::Mutex<Option<(Instant, bool)>>);

impl TriedWrite {
    async fn succeeds(&self, db: &Db) -> bool {
        let mut known = self.0.lock().await;
        if let Some((at, writable)) = *known
            && at.elapsed() < WRITE_HOLDS
        {
            return writable;
        }
        let tried = db.require_writable().await;
        if let Err(error) = &tried {
            tracing::error!(error = cause(&error.0), "the database takes no writes");
        }
        *known = Some((Instant::now(), tried.is_ok()));
        tried.is_ok()
    }
}

/// `GET /readyz`: whether the database takes writes and the storage answers.
pub(super) async fn ready(app: App) -> Response {
    let services = &app.gateway.services;
    let judged = tokio::time::timeout(READY_WITHIN, async {
        if !app.tried_write.succeeds(&services.db).await {
            return unready("o banco de dados não responde ou não aceita escritas\n");
        }
        if let Err(error) = services.blobs.check().await {
            tracing::error!(%error, "the storage does not answer");
            return unready("a guarda de mídias não responde\n");
        }
        (StatusCode::OK, "pronto\n").into_response()
    });
    let late = |_| unready("o banco de dados ou a guarda de mídias demora a responder\n");
    judged.await.unwrap_or_else(late)
}

fn unready(why: &'static str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}
