//! The Interactions API of Gemini: <https://ai.google.dev/gemini-api/docs/interactions>

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{Asked, Call, KEY, Phase, Studio, has_header, json_response};

const MODEL: &str = "gemini-omni-1.1-flash";

pub(super) fn router() -> Router<Arc<Studio>> {
    Router::new()
        .route("/v1beta/interactions", post(create_video))
        .route("/v1beta/interactions/{id}", get(get_video))
        .route("/v1beta/interactions/{id}/cancel", post(cancel_video))
        .route("/v1beta/models/{model}", get(get_model))
        .route("/v1beta/files/{id}", get(get_file))
        .fallback(|| async { error_response(404, "NOT_FOUND") })
}

/// An error response. Its `code` is the HTTP status and its `status` the error name.
fn error_response(status: u16, name: &str) -> Response {
    let error = json!({ "code": status, "message": "No.", "status": name });
    json_response(status, &json!({ "error": error }))
}

fn require_headers(headers: &HeaderMap) -> Result<(), Box<Response>> {
    if !has_header(headers, "x-goog-api-key", KEY) {
        return Err(Box::new(error_response(403, "PERMISSION_DENIED")));
    }
    match has_header(headers, "api-revision", "2026-05-20") {
        true => Ok(()),
        false => Err(Box::new(error_response(400, "INVALID_ARGUMENT"))),
    }
}

async fn get_model(Path(model): Path<String>, headers: HeaderMap) -> Response {
    match require_headers(&headers) {
        Err(refusal) => *refusal,
        Ok(()) if model == MODEL => json_response(200, &json!({ "name": "models/x" })),
        Ok(()) => error_response(404, "NOT_FOUND"),
    }
}

async fn create_video(
    State(studio): State<Arc<Studio>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(refusal) = require_headers(&headers) {
        return *refusal;
    }
    let Some(asked) = parse_request(&body) else {
        return error_response(400, "INVALID_ARGUMENT");
    };
    let made = || {
        let id = studio.add_video(asked);
        json_response(
            200,
            &json!({ "id": id, "status": "in_progress", "steps": [] }),
        )
    };
    studio
        .respond_or_fail(Call::Submit, error_response, made)
        .await
}

fn parse_request(body: &[u8]) -> Option<Asked> {
    let fields: Value = serde_json::from_slice(body).ok()?;
    let known = ["model", "input", "background", "response_format"];
    let named = fields.as_object()?.keys();
    if named
        .into_iter()
        .any(|name| !known.contains(&name.as_str()))
    {
        return None;
    }
    let format = &fields["response_format"];
    let sound = fields["model"] == MODEL
        && fields["background"] == true
        && format["type"] == "video"
        && format["resolution"] == "720p"
        && format["delivery"] == "uri"
        && ["9:16", "16:9"].contains(&format["aspect_ratio"].as_str()?);
    sound.then_some(())?;
    let seconds: u64 = format["duration"]
        .as_str()?
        .strip_suffix('s')?
        .parse()
        .ok()?;
    (3..=10).contains(&seconds).then_some(())?;
    let mut frame = None;
    if let Some(image) = fields["input"].get(1) {
        (image["type"] == "image" && image["mime_type"] == "image/jpeg").then_some(())?;
        frame = Some(STANDARD.decode(image["data"].as_str()?).ok()?);
    }
    Some(Asked {
        prompt: fields["input"][0]["text"].as_str()?.to_owned(),
        aspect: format["aspect_ratio"].as_str()?.to_owned(),
        seconds,
        frame,
    })
}

async fn get_video(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = require_headers(&headers) {
        return *refusal;
    }
    let shown = || {
        let Some(made) = studio.find_video(&id) else {
            return error_response(404, "NOT_FOUND");
        };
        let input = json!({ "type": "user_input", "content": [{ "type": "text", "text": "x" }] });
        let mut told = json!({ "id": id, "status": "in_progress", "steps": [input] });
        match made.phase {
            // This API reports no percentage.
            Phase::Waiting | Phase::Running(_) => {}
            Phase::Done => {
                told["status"] = "completed".into();
                let mut video = json!({ "type": "video", "mime_type": "video/mp4" });
                if *studio.inline.lock().expect("no panic") {
                    let file = studio.file.lock().expect("no panic").clone();
                    video["data"] = STANDARD.encode(file).into();
                } else {
                    let path = format!("/v1beta/files/{id}?alt=media");
                    video["uri"] = studio.result_url(&path).into();
                }
                let output = json!({ "type": "model_output", "content": [video] });
                told["steps"].as_array_mut().expect("a list").push(output);
            }
            Phase::Failed(code) => {
                told["status"] = "failed".into();
                told["error"] = json!({ "code": 400, "status": code });
            }
            Phase::Canceled => told["status"] = "cancelled".into(),
        }
        json_response(200, &told)
    };
    studio
        .respond_or_fail(Call::Progress, error_response, shown)
        .await
}

async fn get_file(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !has_header(&headers, "x-goog-api-key", KEY) {
        return error_response(403, "PERMISSION_DENIED");
    }
    let file = || match studio.find_video(&id) {
        Some(_) => studio.file_response(),
        None => error_response(404, "NOT_FOUND"),
    };
    studio
        .respond_or_fail(Call::Fetch, error_response, file)
        .await
}

async fn cancel_video(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = require_headers(&headers) {
        return *refusal;
    }
    let canceled = || match studio.cancel_video(&id) {
        true => json_response(200, &json!({ "id": id, "status": "cancelled" })),
        false => error_response(400, "FAILED_PRECONDITION"),
    };
    studio
        .respond_or_fail(Call::Cancel, error_response, canceled)
        .await
}
