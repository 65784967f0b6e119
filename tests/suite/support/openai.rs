//! What the doubles of OpenAI's APIs share: authentication, request validation and error responses.
//!
//! <https://platform.openai.com/docs/guides/error-codes>

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::stream;
use serde_json::{Map, Value, json};

/// The only valid API key.
pub const KEY: &str = "sk-proj-0123456789abcdefghijklmnop";

pub fn require_key(headers: &HeaderMap) -> Result<(), Box<Response>> {
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok()).unwrap_or("");
    match given.strip_prefix("Bearer ") {
        Some(key) if key == KEY => Ok(()),
        // The message quotes the key, because the real API quotes part of the key.
        key => Err(Box::new(error_with_message(
            401,
            "invalid_request_error",
            "invalid_api_key",
            &format!("Incorrect API key provided: {}.", key.unwrap_or("none")),
        ))),
    }
}

/// Validates the key, the model and the field names of a request; returns its fields.
pub fn validate_request(
    headers: &HeaderMap,
    body: &[u8],
    known: &[&str],
    models: &[&str],
) -> Result<Map<String, Value>, Box<Response>> {
    require_key(headers)?;
    let content_type = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if content_type != Some(b"application/json") {
        return Err(invalid_request("unsupported_content_type"));
    }
    let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
        return Err(invalid_request("invalid_json"));
    };
    if fields.keys().any(|name| !known.contains(&name.as_str())) {
        return Err(invalid_request("unknown_parameter"));
    }
    match fields.get("model").and_then(Value::as_str) {
        None => Err(invalid_request("missing_required_parameter")),
        Some(model) if models.contains(&model) => Ok(fields),
        Some(_) => Err(Box::new(error_response(
            404,
            "invalid_request_error",
            "model_not_found",
        ))),
    }
}

/// A 400 response for an invalid request.
pub fn invalid_request(code: &str) -> Box<Response> {
    Box::new(error_response(400, "invalid_request_error", code))
}

pub fn error_response(status: u16, kind: &str, code: &str) -> Response {
    error_with_message(status, kind, code, "Something was wrong with the request.")
}

fn error_with_message(status: u16, kind: &str, code: &str, message: &str) -> Response {
    let error = json!({ "message": message, "type": kind, "param": null, "code": code });
    json_response(status, &json!({ "error": error }))
}

pub fn json_response(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, body.to_string()).into_response()
}

/// A response that breaks off after half of its `Content-Length`.
pub async fn cut_in_half(answer: Response) -> Response {
    let (mut parts, body) = answer.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a body");
    let length = body.len().into();
    parts.headers.insert(header::CONTENT_LENGTH, length);
    let half = body.slice(..body.len() / 2);
    let broken = stream::iter([Ok(half), Err(std::io::Error::other("cut"))]);
    Response::from_parts(parts, Body::from_stream(broken))
}
