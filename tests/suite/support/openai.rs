//! The shared parts of all doubles of an OpenAI API: authentication and error responses.
//!
//! <https://platform.openai.com/docs/guides/error-codes>

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::stream;
use serde_json::{Map, Value, json};

/// The only valid key.
pub const KEY: &str = "sk-proj-0123456789abcdefghijklmnop";

pub fn know(headers: &HeaderMap) -> Result<(), Box<Response>> {
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok()).unwrap_or("");
    match given.strip_prefix("Bearer ") {
        Some(key) if key == KEY => Ok(()),
        // The real service quotes part of the key.
        key => Err(Box::new(error(
            401,
            "invalid_request_error",
            "invalid_api_key",
            &format!("Incorrect API key provided: {}.", key.unwrap_or("none")),
        ))),
    }
}

/// Checks the model and the fields of a request; only these fields are allowed.
pub fn judge(
    headers: &HeaderMap,
    body: &[u8],
    known: &[&str],
    models: &[&str],
) -> Result<Map<String, Value>, Box<Response>> {
    know(headers)?;
    let content_type = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if content_type != Some(b"application/json") {
        return Err(wrong("unsupported_content_type"));
    }
    let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
        return Err(wrong("invalid_json"));
    };
    if fields.keys().any(|name| !known.contains(&name.as_str())) {
        return Err(wrong("unknown_parameter"));
    }
    match fields.get("model").and_then(Value::as_str) {
        None => Err(wrong("missing_required_parameter")),
        Some(model) if models.contains(&model) => Ok(fields),
        Some(_) => Err(Box::new(refused(
            404,
            "invalid_request_error",
            "model_not_found",
        ))),
    }
}

/// The error for an invalid request.
pub fn wrong(code: &str) -> Box<Response> {
    Box::new(refused(400, "invalid_request_error", code))
}

pub fn refused(status: u16, kind: &str, code: &str) -> Response {
    error(status, kind, code, "Something was wrong with the request.")
}

fn error(status: u16, kind: &str, code: &str, message: &str) -> Response {
    let error = json!({ "message": message, "type": kind, "param": null, "code": code });
    answer(status, &json!({ "error": error }))
}

pub fn answer(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, body.to_string()).into_response()
}

/// The first half of an answer whose length promises the whole.
pub async fn cut(answer: Response) -> Response {
    let (mut parts, body) = answer.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a body");
    let length = body.len().into();
    parts.headers.insert(header::CONTENT_LENGTH, length);
    let half = body.slice(..body.len() / 2);
    let broken = stream::iter([Ok(half), Err(std::io::Error::other("cut"))]);
    Response::from_parts(parts, Body::from_stream(broken))
}
