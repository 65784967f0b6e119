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

use super::{Asked, Call, Phase, Studio, has, has_bearer, json_answer};

pub(super) fn router() -> Router<Arc<Studio>> {
    Router::new()
        .route("/v1/text_to_video", post(create))
        .route("/v1/image_to_video", post(create))
        .route("/v1/tasks/{id}", get(show).delete(remove))
        .route("/v1/organization", get(organization))
        .route("/output/{id}", get(output))
        .fallback(|| async { refused(404, "") })
}

/// The refusals have a sentence and no code.
fn refused(status: u16, _: &str) -> Response {
    json_answer(
        status,
        &json!({ "error": "Validation of body failed", "issues": [] }),
    )
}

fn known(headers: &HeaderMap) -> Result<(), Box<Response>> {
    if !has_bearer(headers) {
        return Err(Box::new(refused(401, "")));
    }
    match has(headers, "x-runway-version", "2024-11-06") {
        true => Ok(()),
        false => Err(Box::new(refused(400, ""))),
    }
}

async fn organization(headers: HeaderMap) -> Response {
    match known(&headers) {
        Ok(()) => json_answer(200, &json!({ "tier": {}, "creditBalance": 100 })),
        Err(refusal) => *refusal,
    }
}

async fn create(
    State(studio): State<Arc<Studio>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(refusal) = known(&headers) {
        return *refusal;
    }
    let Some(asked) = read(&uri, &body) else {
        return refused(400, "");
    };
    let made = || json_answer(200, &json!({ "id": studio.make(asked) }));
    studio.answers(Call::Submit, refused, made).await
}

fn read(uri: &Uri, body: &[u8]) -> Option<Asked> {
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
    // Only the address for images accepts a frame, and it requires one.
    (fits && frame.is_some() == uri.path().contains("image_to")).then_some(())?;
    Some(Asked {
        prompt: prompt.to_owned(),
        aspect: aspect.to_owned(),
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
            return refused(404, "");
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
                task["output"] = json!([studio.address(&format!("/output/{id}?_jwt=x"))]);
            }
            Phase::Failed(code) => {
                task["status"] = "FAILED".into();
                task["failure"] = "The content was not generated.".into();
                task["failureCode"] = code.into();
            }
            Phase::Canceled => task["status"] = "CANCELLED".into(),
        }
        json_answer(200, &task)
    };
    studio.answers(Call::Progress, refused, shown).await
}

async fn output(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    // The address is signed, so the key must not be sent.
    if headers.contains_key("authorization") {
        *studio.told_the_key.lock().expect("no panic") = true;
    }
    let file = || match studio.find(&id) {
        Some(_) => studio.file(),
        None => StatusCode::FORBIDDEN.into_response(),
    };
    studio.answers(Call::Fetch, refused, file).await
}

async fn remove(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = known(&headers) {
        return *refusal;
    }
    let removed = || match studio.cancel(&id) {
        true => StatusCode::NO_CONTENT.into_response(),
        false => refused(404, ""),
    };
    studio.answers(Call::Cancel, refused, removed).await
}
