//! What the API takes and refuses, and how it says so.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::{KEY, MODEL};

pub(super) fn know(headers: &HeaderMap) -> Result<(), Box<Response>> {
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok()).unwrap_or("");
    match given.strip_prefix("Bearer ") {
        Some(key) if key == KEY => Ok(()),
        // The real one quotes the key, if only in part.
        key => Err(Box::new(error(
            401,
            "invalid_request_error",
            "invalid_api_key",
            &format!("Incorrect API key provided: {}.", key.unwrap_or("none")),
        ))),
    }
}

pub(super) fn judge(headers: &HeaderMap, body: &[u8]) -> Result<Map<String, Value>, Box<Response>> {
    know(headers)?;
    let wrong = |code: &str| Box::new(refused(400, "invalid_request_error", code));
    let content_type = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if content_type != Some(b"application/json") {
        return Err(wrong("unsupported_content_type"));
    }
    let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
        return Err(wrong("invalid_json"));
    };
    let one_of = |name: &str, values: &[&str]| {
        fields
            .get(name)
            .is_none_or(|value| value.as_str().is_some_and(|v| values.contains(&v)))
    };
    for name in fields.keys() {
        const KNOWN: [&str; 10] = [
            "model",
            "prompt",
            "n",
            "size",
            "quality",
            "output_format",
            "output_compression",
            "background",
            "moderation",
            "user",
        ];
        if !KNOWN.contains(&name.as_str()) {
            return Err(wrong("unknown_parameter"));
        }
    }
    match fields.get("model") {
        None => return Err(wrong("missing_required_parameter")),
        Some(model) if model != MODEL => {
            return Err(Box::new(refused(
                404,
                "invalid_request_error",
                "model_not_found",
            )));
        }
        Some(_) => {}
    }
    let prompt = fields.get("prompt").and_then(Value::as_str).unwrap_or("");
    if !(1..=32_000).contains(&prompt.chars().count()) {
        return Err(wrong("missing_required_parameter"));
    }
    let several = fields
        .get("n")
        .is_none_or(|n| matches!(n.as_u64(), Some(1..=10)));
    let drawable = one_of("size", &["1024x1024", "1536x1024", "1024x1536", "auto"])
        && one_of("quality", &["low", "medium", "high", "auto"])
        && one_of("output_format", &["png", "jpeg", "webp"]);
    if !(several && drawable) {
        return Err(wrong("invalid_value"));
    }
    Ok(fields)
}

/// An answer with the image in it.
pub fn picture(bytes: &[u8]) -> Response {
    generated(json!({ "b64_json": STANDARD.encode(bytes) }))
}

/// An answer with the address of the image.
pub fn link(url: &str) -> Response {
    generated(json!({ "url": url }))
}

fn generated(image: Value) -> Response {
    let usage = json!({ "total_tokens": 100, "input_tokens": 50, "output_tokens": 50 });
    answer(
        200,
        &json!({ "created": 1_787_410_800, "data": [image], "usage": usage }),
    )
}

pub fn refused(status: u16, kind: &str, code: &str) -> Response {
    error(status, kind, code, "Something was wrong with the request.")
}

fn error(status: u16, kind: &str, code: &str, message: &str) -> Response {
    let error = json!({ "message": message, "type": kind, "param": null, "code": code });
    answer(status, &json!({ "error": error }))
}

pub(super) fn answer(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, body.to_string()).into_response()
}

/// A drawing of one colour, as a file.
pub fn drawing(width: u32, height: u32, format: &str) -> Vec<u8> {
    painted(width, height, [200, 30, 60], format)
}

pub fn painted(width: u32, height: u32, color: [u8; 3], format: &str) -> Vec<u8> {
    let format = image::ImageFormat::from_extension(format).expect("a format");
    let mut bytes = std::io::Cursor::new(vec![]);
    image::RgbImage::from_pixel(width, height, image::Rgb(color))
        .write_to(&mut bytes, format)
        .expect("encodes");
    bytes.into_inner()
}
