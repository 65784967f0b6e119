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

use super::{Asked, Call, KEY, Phase, Studio, has, json_answer};

const MODEL: &str = "gemini-omni-1.1-flash";

pub(super) fn router() -> Router<Arc<Studio>> {
    Router::new()
        .route("/v1beta/interactions", post(create))
        .route("/v1beta/interactions/{id}", get(show))
        .route("/v1beta/interactions/{id}/cancel", post(cancel))
        .route("/v1beta/models/{model}", get(model))
        .route("/v1beta/files/{id}", get(file))
        .fallback(|| async { refused(404, "NOT_FOUND") })
}

/// The `code` is a number, and the `status` a name.
fn refused(status: u16, name: &str) -> Response {
    let error = json!({ "code": status, "message": "No.", "status": name });
    json_answer(status, &json!({ "error": error }))
}

fn known(headers: &HeaderMap) -> Result<(), Box<Response>> {
    if !has(headers, "x-goog-api-key", KEY) {
        return Err(Box::new(refused(403, "PERMISSION_DENIED")));
    }
    match has(headers, "api-revision", "2026-05-20") {
        true => Ok(()),
        false => Err(Box::new(refused(400, "INVALID_ARGUMENT"))),
    }
}

async fn model(Path(model): Path<String>, headers: HeaderMap) -> Response {
    match known(&headers) {
        Err(refusal) => *refusal,
        Ok(()) if model == MODEL => json_answer(200, &json!({ "name": "models/x" })),
        Ok(()) => refused(404, "NOT_FOUND"),
    }
}

async fn create(State(studio): State<Arc<Studio>>, headers: HeaderMap, body: Bytes) -> Response {
    if let Err(refusal) = known(&headers) {
        return *refusal;
    }
    let Some(asked) = read(&body) else {
        return refused(400, "INVALID_ARGUMENT");
    };
    let made = || {
        let id = studio.make(asked);
        json_answer(
            200,
            &json!({ "id": id, "status": "in_progress", "steps": [] }),
        )
    };
    studio.answers(Call::Submit, refused, made).await
}

fn read(body: &[u8]) -> Option<Asked> {
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

async fn show(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = known(&headers) {
        return *refusal;
    }
    let shown = || {
        let Some(made) = studio.find(&id) else {
            return refused(404, "NOT_FOUND");
        };
        let input = json!({ "type": "user_input", "content": [{ "type": "text", "text": "x" }] });
        let mut told = json!({ "id": id, "status": "in_progress", "steps": [input] });
        match made.phase {
            // This API reports no progress.
            Phase::Waiting | Phase::Running(_) => {}
            Phase::Done => {
                told["status"] = "completed".into();
                let mut video = json!({ "type": "video", "mime_type": "video/mp4" });
                if *studio.inline.lock().expect("no panic") {
                    let file = studio.file.lock().expect("no panic").clone();
                    video["data"] = STANDARD.encode(file).into();
                } else {
                    let path = format!("/v1beta/files/{id}?alt=media");
                    video["uri"] = studio.address(&path).into();
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
        json_answer(200, &told)
    };
    studio.answers(Call::Progress, refused, shown).await
}

async fn file(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !has(&headers, "x-goog-api-key", KEY) {
        return refused(403, "PERMISSION_DENIED");
    }
    let file = || match studio.find(&id) {
        Some(_) => studio.file(),
        None => refused(404, "NOT_FOUND"),
    };
    studio.answers(Call::Fetch, refused, file).await
}

async fn cancel(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = known(&headers) {
        return *refusal;
    }
    let canceled = || match studio.cancel(&id) {
        true => json_answer(200, &json!({ "id": id, "status": "cancelled" })),
        false => refused(400, "FAILED_PRECONDITION"),
    };
    studio.answers(Call::Cancel, refused, canceled).await
}
