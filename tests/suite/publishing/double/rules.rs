//! Validates requests by the rules of the real API.

use axum::body::Bytes;
use hyper::{header, http::request::Parts};
use serde_json::{Map, Value};

use super::world::{Effect, World};

type Refusal = (u16, &'static str);

const WRONG: Refusal = (400, "invalid_params");
const MB: u64 = 1 << 20;

pub(super) fn parse_fields(parts: &Parts, body: &Bytes) -> Result<Value, Refusal> {
    let kind = parts.headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if parts.method != "POST" || !kind.starts_with("application/json; charset=UTF-8") {
        return Err(WRONG);
    }
    serde_json::from_slice(body).map_err(|_| WRONG)
}

/// Requires an object with exactly these fields. Fields with a `?` are optional.
fn require_object<'v>(value: &'v Value, known: &[&str]) -> Result<&'v Map<String, Value>, Refusal> {
    let fields = value.as_object().ok_or(WRONG)?;
    let is_known = |name: &String| {
        known
            .iter()
            .any(|known| known.trim_end_matches('?') == name)
    };
    let is_there = |name: &&str| name.ends_with('?') || fields.contains_key(*name);
    match fields.keys().all(is_known) && known.iter().all(is_there) {
        true => Ok(fields),
        false => Err(WRONG),
    }
}

fn utf16_units(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.encode_utf16().count())
}

fn require_flags(info: &Map<String, Value>, names: &[&str]) -> Result<(), Refusal> {
    match names.iter().all(|name| info[*name].is_boolean()) {
        true => Ok(()),
        false => Err(WRONG),
    }
}

fn require_privacy(world: &World, info: &Map<String, Value>) -> Result<(), Refusal> {
    let level = info["privacy_level"].as_str().ok_or(WRONG)?;
    if !world.privacy_levels.contains(&level) {
        return Err((403, "privacy_level_option_mismatch"));
    }
    if !world.audited && level != "SELF_ONLY" {
        return Err((403, "unaudited_client_can_only_post_to_private_accounts"));
    }
    if level == "SELF_ONLY" && info["brand_content_toggle"] == true {
        return Err(WRONG);
    }
    if world.comment_disabled && info["disable_comment"] != true {
        return Err(WRONG);
    }
    Ok(())
}

pub(super) fn validate_photos(world: &World, request: &Value) -> Result<(), Refusal> {
    let whole = require_object(
        request,
        &["media_type", "post_mode", "post_info", "source_info"],
    )?;
    if whole["media_type"] != "PHOTO" || whole["post_mode"] != "DIRECT_POST" {
        return Err(WRONG);
    }
    let info = require_object(
        &whole["post_info"],
        &[
            "title?",
            "description",
            "privacy_level",
            "disable_comment",
            "auto_add_music",
            "brand_content_toggle",
            "brand_organic_toggle",
        ],
    )?;
    require_flags(
        info,
        &[
            "disable_comment",
            "auto_add_music",
            "brand_content_toggle",
            "brand_organic_toggle",
        ],
    )?;
    if info
        .get("title")
        .is_some_and(|title| utf16_units(title) > 90)
        || utf16_units(&info["description"]) > 4_000
    {
        return Err(WRONG);
    }
    require_privacy(world, info)?;
    let source = require_object(
        &whole["source_info"],
        &["source", "photo_images", "photo_cover_index"],
    )?;
    let links = source["photo_images"].as_array().ok_or(WRONG)?;
    let cover = source["photo_cover_index"].as_u64().ok_or(WRONG)?;
    if source["source"] != "PULL_FROM_URL" || !(1..=35).contains(&links.len()) {
        return Err(WRONG);
    }
    if cover >= links.len() as u64 {
        return Err(WRONG);
    }
    let verified = |link: &Value| {
        let link = link.as_str().unwrap_or_default();
        link.starts_with(&world.verified_prefix)
    };
    match links.iter().all(verified) {
        true => Ok(()),
        false => Err((403, "url_ownership_unverified")),
    }
}

/// Validates a request to post a video; returns the size of the video.
pub(super) fn validate_video(world: &World, request: &Value) -> Result<u64, Refusal> {
    let whole = require_object(request, &["post_info", "source_info"])?;
    let info = require_object(
        &whole["post_info"],
        &[
            "title",
            "privacy_level",
            "disable_duet",
            "disable_comment",
            "disable_stitch",
            "brand_content_toggle",
            "brand_organic_toggle",
            "video_cover_timestamp_ms?",
        ],
    )?;
    require_flags(
        info,
        &[
            "disable_duet",
            "disable_comment",
            "disable_stitch",
            "brand_content_toggle",
        ],
    )?;
    if utf16_units(&info["title"]) > 2_200 {
        return Err(WRONG);
    }
    require_privacy(world, info)?;
    let source = require_object(
        &whole["source_info"],
        &["source", "video_size", "chunk_size", "total_chunk_count"],
    )?;
    let number = |name: &str| source[name].as_u64().filter(|n| *n > 0).ok_or(WRONG);
    let (size, chunk) = (number("video_size")?, number("chunk_size")?);
    let count = number("total_chunk_count")?;
    let whole_chunk = chunk == size && (size < 5 * MB || chunk <= 64 * MB);
    let allowed = whole_chunk || (5 * MB..=64 * MB).contains(&chunk);
    let last = size.saturating_sub((count - 1) * chunk);
    if source["source"] != "FILE_UPLOAD" || !allowed || count != size / chunk || last > 128 * MB {
        return Err(WRONG);
    }
    Ok(size)
}

pub(super) fn validate_chunk(
    parts: &Parts,
    body: &Bytes,
    received: u64,
    effect: &Effect,
) -> Result<(), Refusal> {
    let head = |name: header::HeaderName| {
        let value = parts.headers.get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    let kind = head(header::CONTENT_TYPE).unwrap_or_default();
    if parts.method != "PUT" || !["video/mp4", "video/quicktime"].contains(&kind.as_str()) {
        return Err((400, "upload_type"));
    }
    let length = head(header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    if length != Some(body.len()) {
        return Err((400, "upload_length"));
    }
    let range = head(header::CONTENT_RANGE).unwrap_or_default();
    let end = received + body.len() as u64;
    let source = &effect.request["source_info"];
    let (size, chunk) = (effect.size, source["chunk_size"].as_u64().unwrap_or(0));
    let last = end == size;
    let whole = body.len() as u64 == chunk;
    if body.is_empty()
        || range != format!("bytes {received}-{}/{size}", end - 1)
        || !(whole || last && body.len() as u64 > chunk)
    {
        return Err((416, "upload_range"));
    }
    Ok(())
}
