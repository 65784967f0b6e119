//! The Runway API: <https://docs.dev.runwayml.com/api/>

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{Asked, Call, Phase, Studio, has_bearer, has_header, json_response};

pub(super) fn router() -> Router<Arc<Studio>> {
    Router::new()
        .route("/v1/text_to_video", post(create_video))
        .route("/v1/image_to_video", post(create_video))
        .route("/v1/tasks/{id}", get(get_task).delete(delete_task))
        .route("/v1/organization", get(get_organization))
        .route("/output/{id}", get(get_output))
        .fallback(|| async { error_response(404, "") })
}

/// An error response. This API's errors have a sentence and no code.
fn error_response(status: u16, _: &str) -> Response {
    json_response(
        status,
        &json!({ "error": "Validation of body failed", "issues": [] }),
    )
}

fn require_headers(headers: &HeaderMap) -> Result<(), Box<Response>> {
    if !has_bearer(headers) {
        return Err(Box::new(error_response(401, "")));
    }
    match has_header(headers, "x-runway-version", "2024-11-06") {
        true => Ok(()),
        false => Err(Box::new(error_response(400, ""))),
    }
}

async fn get_organization(headers: HeaderMap) -> Response {
    match require_headers(&headers) {
        Ok(()) => json_response(200, &json!({ "tier": {}, "creditBalance": 100 })),
        Err(refusal) => *refusal,
    }
}

async fn create_video(
    State(studio): State<Arc<Studio>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(refusal) = require_headers(&headers) {
        return *refusal;
    }
    let Some(asked) = parse_request(&uri, &body) else {
        return error_response(400, "");
    };
    let made = || json_response(200, &json!({ "id": studio.add_video(asked) }));
    studio
        .respond_or_fail(Call::Submit, error_response, made)
        .await
}

fn parse_request(uri: &Uri, body: &[u8]) -> Option<Asked> {
    let fields: Value = serde_json::from_slice(body).ok()?;
    let fields = fields.as_object()?;
    let known = ["model", "promptText", "promptImage", "ratio", "duration"];
    if fields.keys().any(|name| !known.contains(&name.as_str())) || fields["model"] != "gen4.5" {
        return None;
    }
    let aspect = match fields.get("ratio")?.as_str()? {
        "720:1280" => "9:16",
        "1280:720" => "16:9",
        _ => return None,
    };
    let prompt = fields.get("promptText")?.as_str()?;
    let fits = (1..=1_000).contains(&prompt.encode_utf16().count());
    let seconds = fields
        .get("duration")?
        .as_u64()
        .filter(|n| (2..=10).contains(n))?;
    let image = fields.get("promptImage").map(|image| {
        let data = image.as_str()?.strip_prefix("data:image/jpeg;base64,")?;
        STANDARD.decode(data).ok()
    });
    let frame = match image {
        None => None,
        Some(image) => Some(image?),
    };
    // A first frame is required at `image_to_video`, and refused at the other path.
    (fits && frame.is_some() == uri.path().contains("image_to")).then_some(())?;
    Some(Asked {
        prompt: prompt.to_owned(),
        aspect: aspect.to_owned(),
        seconds,
        frame,
    })
}

async fn get_task(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = require_headers(&headers) {
        return *refusal;
    }
    let shown = || {
        let Some(made) = studio.find_video(&id) else {
            return error_response(404, "");
        };
        let mut task = json!({ "id": id, "createdAt": "2026-08-22T15:00:00Z" });
        match made.phase {
            Phase::Waiting => task["status"] = "THROTTLED".into(),
            Phase::Running(percent) => {
                task["status"] = "RUNNING".into();
                task["progress"] = (f64::from(percent) / 100.0).into();
            }
            Phase::Done => {
                task["status"] = "SUCCEEDED".into();
                task["output"] = json!([studio.result_url(&format!("/output/{id}?_jwt=x"))]);
            }
            Phase::Failed(code) => {
                task["status"] = "FAILED".into();
                task["failure"] = "The content was not generated.".into();
                task["failureCode"] = code.into();
            }
            Phase::Canceled => task["status"] = "CANCELLED".into(),
        }
        json_response(200, &task)
    };
    studio
        .respond_or_fail(Call::Progress, error_response, shown)
        .await
}

async fn get_output(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    // The URL is signed, so the API key must not be sent to it.
    if headers.contains_key("authorization") {
        *studio.sent_key.lock().expect("no panic") = true;
    }
    let file = || match studio.find_video(&id) {
        Some(_) => studio.file_response(),
        None => StatusCode::FORBIDDEN.into_response(),
    };
    studio
        .respond_or_fail(Call::Fetch, error_response, file)
        .await
}

async fn delete_task(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = require_headers(&headers) {
        return *refusal;
    }
    let removed = || match studio.cancel_video(&id) {
        true => StatusCode::NO_CONTENT.into_response(),
        false => error_response(404, ""),
    };
    studio
        .respond_or_fail(Call::Cancel, error_response, removed)
        .await
}
