//! `GET /media/{id}?exp&sig`: the bytes of a medium, for whoever holds a good link.

use axum::{
    body::Body,
    extract::{RawPathParams, Request, rejection::RawPathParamsRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::MediaId;
use gateway::Result;
use store::media;
use tools::media::Links;

use super::{is_known, set};
use crate::app::App;

pub(super) async fn serve(
    app: App,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let id = params
        .ok()
        .and_then(|p| p.iter().next().map(|(_, id)| id.to_owned()));
    let id = id.unwrap_or_default();
    // The link is judged before anything is looked up.
    if !has_good_link(&app, &id, request.uri().query().unwrap_or_default()) {
        return (StatusCode::FORBIDDEN, "link inválido ou expirado\n").into_response();
    }
    match find(&app, &id, request.headers()).await {
        Ok(Some(response)) => response,
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(id, cause, "a medium could not be read");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn has_good_link(app: &App, id: &str, query: &str) -> bool {
    let named = |name: &str| {
        let pairs = form_urlencoded::parse(query.as_bytes());
        let mut values = pairs
            .filter(|(n, _)| n == name)
            .map(|(_, value)| value.into_owned());
        (values.next(), values.next())
    };
    match (named("exp"), named("sig")) {
        ((Some(exp), None), (Some(sig), None)) => app
            .gateway
            .services
            .parts
            .get::<Links>()
            .is_good(id, &exp, &sig, app.gateway.now()),
        _ => false,
    }
}

/// The bytes asked for; `None` when row or file are missing.
async fn find(app: &App, id: &str, asked: &HeaderMap) -> Result<Option<Response>> {
    let services = &app.gateway.services;
    let id = MediaId::from(id);
    let Some(media) = media::find(&services.db.reader(), id.as_str()).await? else {
        return Ok(None);
    };
    let etag = format!("\"{}\"", media.sha256);
    let length = media.bytes.unsigned_abs();
    let mut response = if is_known(asked, std::slice::from_ref(&etag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        match range(asked, &etag, length) {
            Range::Unsatisfiable => {
                let mut refused = StatusCode::RANGE_NOT_SATISFIABLE.into_response();
                set(
                    refused.headers_mut(),
                    header::CONTENT_RANGE,
                    &format!("bytes */{length}"),
                );
                refused
            }
            wanted => {
                let (from, to) = wanted.bounds(length);
                let path = media::storage_path(&media.sha256);
                let Some(bytes) = services.blobs.read(&path, from..to).await? else {
                    return Ok(None);
                };
                let mut found = Response::new(Body::from_stream(bytes));
                if let Range::Part(..) = wanted {
                    *found.status_mut() = StatusCode::PARTIAL_CONTENT;
                    let part = format!("bytes {from}-{}/{length}", to - 1);
                    set(found.headers_mut(), header::CONTENT_RANGE, &part);
                }
                set(
                    found.headers_mut(),
                    header::CONTENT_LENGTH,
                    &(to - from).to_string(),
                );
                set(found.headers_mut(), header::CONTENT_TYPE, &media.media_type);
                found
            }
        }
    };
    let headers = response.headers_mut();
    set(headers, header::ETAG, &etag);
    set(headers, header::CACHE_CONTROL, "private, max-age=3600");
    set(headers, header::ACCEPT_RANGES, "bytes");
    set(
        headers,
        header::CONTENT_SECURITY_POLICY,
        "sandbox; default-src 'none'",
    );
    Ok(Some(response))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    Whole,
    /// First byte, and the one after the last.
    Part(u64, u64),
    Unsatisfiable,
}

impl Range {
    fn bounds(self, length: u64) -> (u64, u64) {
        match self {
            Range::Part(from, to) => (from, to),
            Range::Whole | Range::Unsatisfiable => (0, length),
        }
    }
}

/// One range of bytes (RFC 9110 §14); several, or an unreadable one, give the whole.
fn range(asked: &HeaderMap, etag: &str, length: u64) -> Range {
    let Some(text) = asked.get(header::RANGE).and_then(|v| v.to_str().ok()) else {
        return Range::Whole;
    };
    let condition = asked.get(header::IF_RANGE).and_then(|v| v.to_str().ok());
    if condition.is_some_and(|tag| tag != etag) {
        return Range::Whole;
    }
    let Some((first, last)) = text
        .strip_prefix("bytes=")
        .and_then(|set| set.split_once('-'))
    else {
        return Range::Whole;
    };
    let (from, to) = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(from), Ok(last)) if from <= last => (from, last.saturating_add(1).min(length)),
        (Ok(from), Err(_)) if last.is_empty() => (from, length),
        (Err(_), Ok(0)) if first.is_empty() => return Range::Unsatisfiable,
        (Err(_), Ok(suffix)) if first.is_empty() => (length.saturating_sub(suffix), length),
        _ => return Range::Whole,
    };
    if from >= length {
        Range::Unsatisfiable
    } else {
        Range::Part(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Range {
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, text.parse().expect("a value"));
        range(&headers, "\"e\"", 100)
    }

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        assert_eq!(asked("bytes=0-9"), Range::Part(0, 10));
        assert_eq!(asked("bytes=90-"), Range::Part(90, 100));
        assert_eq!(asked("bytes=-5"), Range::Part(95, 100));
        assert_eq!(asked("bytes=-500"), Range::Part(0, 100));
        assert_eq!(asked("bytes=0-999"), Range::Part(0, 100));
        assert_eq!(asked("bytes=100-"), Range::Unsatisfiable);
        assert_eq!(asked("bytes=-0"), Range::Unsatisfiable);
        for whole in [
            "bytes=9-0",
            "bytes=0-1,3-4",
            "items=0-1",
            "bytes=a-b",
            "bytes=-",
        ] {
            assert_eq!(asked(whole), Range::Whole, "{whole}");
        }
    }
}
