//! The API's validation rules for requests.

use axum::{http::HeaderMap, response::Response};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::MODEL;
use crate::support::openai::{self, invalid_request, json_response};

pub(super) fn validate_request(
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Map<String, Value>, Box<Response>> {
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
    let fields = openai::validate_request(headers, body, &KNOWN, &[MODEL])?;
    let one_of = |name: &str, values: &[&str]| {
        fields
            .get(name)
            .is_none_or(|value| value.as_str().is_some_and(|v| values.contains(&v)))
    };
    let prompt = fields.get("prompt").and_then(Value::as_str).unwrap_or("");
    if !(1..=32_000).contains(&prompt.chars().count()) {
        return Err(invalid_request("missing_required_parameter"));
    }
    let several = fields
        .get("n")
        .is_none_or(|n| matches!(n.as_u64(), Some(1..=10)));
    let drawable = one_of("size", &["1024x1024", "1536x1024", "1024x1536", "auto"])
        && one_of("quality", &["low", "medium", "high", "auto"])
        && one_of("output_format", &["png", "jpeg", "webp"]);
    if !(several && drawable) {
        return Err(invalid_request("invalid_value"));
    }
    Ok(fields)
}

/// Returns a response with the image as base64.
pub fn base64_response(bytes: &[u8]) -> Response {
    generation_response(json!({ "b64_json": STANDARD.encode(bytes) }))
}

/// Returns a response with the URL of the image.
pub fn url_response(url: &str) -> Response {
    generation_response(json!({ "url": url }))
}

fn generation_response(image: Value) -> Response {
    let usage = json!({ "total_tokens": 100, "input_tokens": 50, "output_tokens": 50 });
    json_response(
        200,
        &json!({ "created": 1_787_410_800, "data": [image], "usage": usage }),
    )
}

/// Returns an image file of one colour.
pub fn image_file(width: u32, height: u32, format: &str) -> Vec<u8> {
    image_file_of_color(width, height, [200, 30, 60], format)
}

pub fn image_file_of_color(width: u32, height: u32, color: [u8; 3], format: &str) -> Vec<u8> {
    let format = image::ImageFormat::from_extension(format).expect("a format");
    let mut bytes = std::io::Cursor::new(vec![]);
    image::RgbImage::from_pixel(width, height, image::Rgb(color))
        .write_to(&mut bytes, format)
        .expect("encodes");
    bytes.into_inner()
}
