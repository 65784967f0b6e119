//! The Videos API of OpenAI: <https://platform.openai.com/docs/api-reference/videos>

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
    routing::get,
};
use serde_json::{Value, json};

use super::{Asked, Call, Phase, Studio, has_bearer, json_response};

pub(super) fn router() -> Router<Arc<Studio>> {
    Router::new()
        .route("/v1/videos", get(list_videos).post(create_video))
        .route("/v1/videos/{id}", get(get_video).delete(delete_video))
        .route("/v1/videos/{id}/content", get(get_content))
        .fallback(|| async { error_response(404, "unknown_url") })
}

fn error_response(status: u16, code: &str) -> Response {
    let error = json!({ "message": "No.", "type": "x", "param": null, "code": code });
    json_response(status, &json!({ "error": error }))
}

async fn list_videos(headers: HeaderMap) -> Response {
    match has_bearer(&headers) {
        true => json_response(200, &json!({ "object": "list", "data": [] })),
        false => error_response(401, "invalid_api_key"),
    }
}

async fn create_video(
    State(studio): State<Arc<Studio>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !has_bearer(&headers) {
        return error_response(401, "invalid_api_key");
    }
    let Some(asked) = parse_request(&headers, &body) else {
        return error_response(400, "invalid_value");
    };
    let made = || {
        let id = studio.add_video(asked);
        json_response(
            200,
            &json!({ "id": id, "object": "video", "status": "queued", "progress": 0 }),
        )
    };
    studio
        .respond_or_fail(Call::Submit, error_response, made)
        .await
}

fn parse_request(headers: &HeaderMap, body: &[u8]) -> Option<Asked> {
    let kind = headers.get("content-type")?.to_str().ok()?;
    let (fields, frame) = match kind.split_once("boundary=") {
        Some((_, boundary)) => parse_form(body, boundary)?,
        None => (serde_json::from_slice(body).ok()?, None),
    };
    let known = ["model", "prompt", "seconds", "size"];
    let fields = fields.as_object()?;
    if fields.keys().any(|name| !known.contains(&name.as_str())) || fields["model"] != "sora-2" {
        return None;
    }
    let aspect = match fields.get("size")?.as_str()? {
        "720x1280" => "9:16",
        "1280x720" => "16:9",
        _ => return None,
    };
    // This API takes `seconds` as a string.
    let seconds = fields.get("seconds")?.as_str()?;
    let seconds = ["4", "8", "12"].contains(&seconds).then_some(seconds)?;
    // The image must have exactly the size of the video.
    if let Some(frame) = &frame {
        let size = image::load_from_memory(frame).ok()?;
        let size = format!("{}x{}", size.width(), size.height());
        (fields["size"] == size.as_str()).then_some(())?;
    }
    Some(Asked {
        prompt: fields.get("prompt")?.as_str()?.to_owned(),
        aspect: aspect.to_owned(),
        seconds: seconds.parse().ok()?,
        frame,
    })
}

/// Parses a multipart form; returns its fields and its file.
fn parse_form(body: &[u8], boundary: &str) -> Option<(Value, Option<Vec<u8>>)> {
    let delimiter = format!("--{boundary}").into_bytes();
    let starts = (0..body.len()).filter(|at| body[*at..].starts_with(&delimiter));
    let starts: Vec<usize> = starts.collect();
    let (mut fields, mut file) = (serde_json::Map::new(), None);
    for pair in starts.windows(2) {
        let part = &body[pair[0] + delimiter.len() + 2..pair[1] - 2];
        let end = part.windows(4).position(|w| w == b"\r\n\r\n")?;
        let head = String::from_utf8(part[..end].to_vec()).ok()?;
        let content = &part[end + 4..];
        let name = head.split("name=\"").nth(1)?.split('"').next()?.to_owned();
        if head.contains("filename=") {
            (name == "input_reference" && head.contains("image/jpeg")).then_some(())?;
            file = Some(content.to_vec());
        } else {
            fields.insert(name, String::from_utf8(content.to_vec()).ok()?.into());
        }
    }
    body.ends_with(format!("--{boundary}--\r\n").as_bytes())
        .then_some((fields.into(), file))
}

async fn get_video(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !has_bearer(&headers) {
        return error_response(401, "invalid_api_key");
    }
    let shown = || {
        let Some(made) = studio.find_video(&id) else {
            return error_response(404, "not_found");
        };
        let (status, progress, error) = match made.phase {
            Phase::Waiting => ("queued", 0, Value::Null),
            Phase::Running(percent) => ("in_progress", percent, Value::Null),
            Phase::Done => ("completed", 100, Value::Null),
            Phase::Failed(code) => ("failed", 50, json!({ "code": code, "message": "No." })),
            Phase::Canceled => ("cancelled", 50, Value::Null),
        };
        let told = json!({ "id": id, "status": status, "progress": progress, "error": error });
        json_response(200, &told)
    };
    studio
        .respond_or_fail(Call::Progress, error_response, shown)
        .await
}

async fn get_content(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !has_bearer(&headers) {
        return error_response(401, "invalid_api_key");
    }
    let file = || match studio.find_video(&id) {
        Some(made) if made.phase == Phase::Done => {
            let elsewhere = studio.elsewhere.lock().expect("no panic").clone();
            match elsewhere {
                Some(url) => axum::response::IntoResponse::into_response(
                    axum::response::Redirect::temporary(&url),
                ),
                None => studio.file_response(),
            }
        }
        _ => error_response(404, "not_found"),
    };
    studio
        .respond_or_fail(Call::Fetch, error_response, file)
        .await
}

async fn delete_video(
    State(studio): State<Arc<Studio>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !has_bearer(&headers) {
        return error_response(401, "invalid_api_key");
    }
    let removed = || match studio.cancel_video(&id) {
        true => json_response(200, &json!({ "id": id, "deleted": true })),
        false => error_response(404, "not_found"),
    };
    studio
        .respond_or_fail(Call::Cancel, error_response, removed)
        .await
}
