//! Answers and refusals as HTTP.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use gateway::{Answer, Error};

/// An answer of the door, its JSON written as it is.
pub fn answer(given: Answer) -> Response {
    let mut response = json(given.status, given.body);
    if given.replayed {
        response
            .headers_mut()
            .insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    response
}

/// A refusal as the error object.
pub struct ErrorAnswer(pub Error);

impl IntoResponse for ErrorAnswer {
    fn into_response(self) -> Response {
        let body = serde_json::to_string(&self.0.body()).unwrap_or_default();
        let mut response = json(self.0.status(), body);
        let headers = response.headers_mut();
        if self.0.status() == 401 {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.0.wait() {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

fn json(status: u16, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}
