//! Public documents: `/api/ai/*` and the conventional places for some of them.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use gateway::{Code, Error, Result};

use super::{super::answer::ErrorAnswer, is_known, set};
use crate::{
    app::App,
    artifacts::{self, CHATGPT_PROFILE, Encoding},
};

/// The places where agents look without being told.
pub(in crate::rest) fn aliases(app: &App) -> Router {
    let places = artifacts::conventional_places();
    places.fold(Router::new(), |router, (path, name)| {
        router.route(&path, route(app, name))
    })
}

/// Serves one document.
pub(super) fn route(app: &App, name: &'static str) -> MethodRouter {
    let app = app.clone();
    get(move |uri: Uri, headers: HeaderMap| {
        let app = app.clone();
        async move {
            match serve(&app, name, &uri, &headers).await {
                Ok(response) => response,
                Err(error) => ErrorAnswer(error).into_response(),
            }
        }
    })
}

async fn serve(app: &App, name: &'static str, uri: &Uri, asked: &HeaderMap) -> Result<Response> {
    let name = match name {
        "openapi.json" => profile(uri)?,
        name => name,
    };
    let artifact = if app.artifacts.are_ready() {
        app.artifacts.get(&app.gateway, name)
    } else {
        let app = app.clone();
        let rendered = tokio::task::spawn_blocking(move || app.artifacts.get(&app.gateway, name));
        rendered.await.map_err(Error::internal)?
    };
    let artifact = artifact.ok_or_else(|| Error::new(Code::ArtifactMissing))?;
    let encoding = encoding(asked, artifact.media_type);
    let etag = artifact.etag(encoding);
    let tags = || [Encoding::Identity, Encoding::Gzip, Encoding::Brotli].map(|e| artifact.etag(e));
    let mut response = if asked.contains_key(header::IF_NONE_MATCH) && is_known(asked, &tags()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let bytes = if artifact.is_ready(encoding) {
            artifact.encoded(encoding)
        } else {
            let artifact = artifact.clone();
            let packed = tokio::task::spawn_blocking(move || artifact.encoded(encoding));
            packed.await.map_err(Error::internal)?
        };
        let mut response = Response::new(Body::from(bytes));
        let media_type = match artifact.media_type {
            text if text.starts_with("text/") => format!("{text}; charset=utf-8"),
            other => other.to_owned(),
        };
        set(response.headers_mut(), header::CONTENT_TYPE, &media_type);
        match encoding {
            Encoding::Identity => {}
            Encoding::Gzip => set(response.headers_mut(), header::CONTENT_ENCODING, "gzip"),
            Encoding::Brotli => set(response.headers_mut(), header::CONTENT_ENCODING, "br"),
        }
        response
    };
    let headers = response.headers_mut();
    set(headers, header::CACHE_CONTROL, "public, max-age=300");
    set(headers, header::VARY, "accept-encoding");
    set(headers, header::ETAG, &etag);
    Ok(response)
}

/// Which part of the contract is asked for.
fn profile(uri: &Uri) -> Result<&'static str> {
    let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let mut name = "openapi.json";
    for (field, value) in query {
        match (&*field, &*value) {
            ("perfil", "chatgpt") => name = CHATGPT_PROFILE,
            ("perfil", _) => return Err(Error::invalid("perfil", "enum", "deve ser `chatgpt`")),
            _ => {}
        }
    }
    Ok(name)
}

/// The smallest encoding that the client takes (RFC 9110 §12.5.3).
fn encoding(asked: &HeaderMap, media_type: &str) -> Encoding {
    if media_type == "application/zip" {
        return Encoding::Identity;
    }
    let accepted = asked
        .get(header::ACCEPT_ENCODING)
        .and_then(|v| v.to_str().ok())
        .unwrap_or_default();
    let takes = |name: &str| {
        accepted.split(',').any(|choice| {
            let (coding, weight) = choice.split_once(';').unwrap_or((choice, ""));
            let weight = weight.trim().strip_prefix("q=").map(str::parse::<f32>);
            coding.trim().eq_ignore_ascii_case(name)
                && weight.is_none_or(|weight| weight.is_ok_and(|weight| weight > 0.0))
        })
    };
    if takes("br") {
        Encoding::Brotli
    } else if takes("gzip") {
        Encoding::Gzip
    } else {
        Encoding::Identity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(accepted: &str) -> Encoding {
        let mut headers = HeaderMap::new();
        set(&mut headers, header::ACCEPT_ENCODING, accepted);
        encoding(&headers, "text/plain")
    }

    #[test]
    fn the_smallest_encoding_that_is_taken_is_chosen() {
        assert_eq!(chosen("gzip, deflate, br"), Encoding::Brotli);
        assert_eq!(chosen("GZIP;q=0.5, br;q=0"), Encoding::Gzip);
        assert_eq!(chosen("identity, zstd"), Encoding::Identity);
        assert_eq!(
            encoding(&HeaderMap::new(), "text/plain"),
            Encoding::Identity
        );
    }
}
