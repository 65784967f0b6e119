//! Converts answers and errors of the gateway to HTTP responses.

use std::io::{self, Write};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};
use gateway::{Answer, Error, ErrorForm, Headers, Outgoing, Rendered, RequestHead, Spec};
use serde_json::json;

/// A page of at most this many bytes fits into one packet and is not compressed.
const WORTH: usize = 1400;

/// Converts an answer. Its JSON or content is written unchanged.
pub fn to_response(given: Answer) -> Response {
    let mut response = match given.body {
        gateway::Body::Json(text) => json_response(given.status, text),
        gateway::Body::Page(page) => self::page_response(given.status, page),
    };
    add_headers(&mut response, given.headers);
    if given.replayed {
        response
            .headers_mut()
            .insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    response
}

/// The JSON error response.
pub struct ErrorAnswer(pub Error);

impl IntoResponse for ErrorAnswer {
    fn into_response(self) -> Response {
        let body = serde_json::to_string(&self.0.body()).unwrap_or_default();
        let mut response = json_response(self.0.status(), body);
        let headers = response.headers_mut();
        if self.0.status() == 401 {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.0.retry_after_seconds() {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Converts an error to the error format of the route.
pub(super) fn error_response(error: Error, spec: &Spec) -> Response {
    match spec.error_form(error.status()) {
        ErrorForm::Object | ErrorForm::JsonRpc | ErrorForm::Console => {
            ErrorAnswer(error).into_response()
        }
        ErrorForm::OAuth => oauth_error(error),
        ErrorForm::Empty => {
            let mut response = ErrorAnswer(error).into_response();
            *response.body_mut() = Body::empty();
            response.headers_mut().remove(header::CONTENT_TYPE);
            response
        }
        ErrorForm::Text => {
            let text = format!("{}\n", error.message());
            let mut response = ErrorAnswer(error).into_response();
            *response.body_mut() = Body::from(text);
            set_content_type(&mut response, "text/plain; charset=utf-8");
            response
        }
    }
}

/// Converts an error page of the console.
pub(super) fn console_error(refused: console::Refused) -> Response {
    let mut response = build_response(refused.status, Body::from(refused.page));
    set_content_type(&mut response, "text/html; charset=utf-8");
    add_headers(&mut response, refused.headers);
    response
}

/// Compresses an HTML page with gzip, if it is large enough and the client accepts that.
pub(super) fn compress_page(mut given: Answer, head: &RequestHead) -> Answer {
    if let gateway::Body::Page(page) = &mut given.body
        && let Outgoing::Whole(bytes) = &page.content
        && bytes.len() > WORTH
        && page.is_html()
    {
        page.headers.push(("vary", "accept-encoding".into()));
        if head.accepts_encoding("gzip")
            && let Ok(small) = gzip(bytes)
        {
            page.content = Outgoing::Whole(small.into());
            page.headers.push(("content-encoding", "gzip".into()));
        }
    }
    given
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(4));
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Returns the error response of an OAuth endpoint.
fn oauth_error(error: Error) -> Response {
    let code = identity::authorization::error_code(&error);
    let text = identity::authorization::error_description(error.message());
    let body = json!({ "error": code, "error_description": text }).to_string();
    let mut response = ErrorAnswer(error).into_response();
    if response.status() == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Basic realm=\"pauta\"");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, scheme);
    }
    *response.body_mut() = Body::from(body);
    response
}

fn json_response(status: u16, body: String) -> Response {
    let mut response = build_response(status, Body::from(body));
    set_content_type(&mut response, "application/json");
    response
}

fn page_response(status: u16, page: Rendered) -> Response {
    let mut response = build_response(
        status,
        match page.content {
            Outgoing::Whole(bytes) => Body::from(bytes),
            Outgoing::Stream(stream) => Body::from_stream(stream.into_inner()),
        },
    );
    add_headers(&mut response, page.headers);
    response
}

fn add_headers(response: &mut Response, headers: Headers) {
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            let name = HeaderName::from_static(name);
            // A response may set several cookies.
            if name == header::SET_COOKIE {
                response.headers_mut().append(name, value);
            } else {
                response.headers_mut().insert(name, value);
            }
        }
    }
}

fn build_response(status: u16, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

fn set_content_type(response: &mut Response, media_type: &'static str) {
    let value = HeaderValue::from_static(media_type);
    response.headers_mut().insert(header::CONTENT_TYPE, value);
}
