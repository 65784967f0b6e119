//! Thumbnails of the images in an output, small enough for an agent to view.

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::MediaId;
use futures::{StreamExt, stream};
use rmcp::model::{ContentBlock, Resource};
use serde_json::Value;
use tools::media::load_stored_image;

use crate::{app::App, providers::pictures};

/// Maximum number of images in one result; the other media are links only.
const MOST: usize = 2;
/// Maximum bytes of all images together, in base64.
const LARGEST: usize = 64_000;

/// Returns a link for each medium in the output, thumbnails of the first ones, and a sentence that
/// says how many thumbnails were left out.
///
/// Images that cannot be read are omitted, because the result is complete without them.
pub(super) async fn preview_blocks(app: &App, answer: &str) -> Vec<ContentBlock> {
    let Ok(answer) = serde_json::from_str::<Value>(answer) else {
        return vec![];
    };
    let shown: Vec<&Value> = match answer["cards"].as_array() {
        Some(cards) => cards.iter().collect(),
        None => vec![&answer],
    };
    let named = |v: &Value, field: &str| v[field].as_str().map(str::to_owned);
    let links = shown.iter().filter_map(|medium| {
        let mut link = Resource::new(named(medium, "url")?, named(medium, "id")?);
        link.mime_type = named(medium, "media_type");
        Some(ContentBlock::resource_link(link))
    });
    let ids: Vec<MediaId> = shown
        .iter()
        .filter_map(|m| named(m, "id").and_then(MediaId::from_stored))
        .collect();
    let left_out = (ids.len() > MOST).then(|| {
        ContentBlock::text(format!(
            "Aqui se veem as {MOST} primeiras de {} imagens; as outras abrem pelos links.",
            ids.len()
        ))
    });
    let ids = ids.into_iter().take(MOST);
    let images: Vec<Option<ContentBlock>> = stream::iter(ids)
        .map(|id| thumbnail_block(app, id))
        .buffered(2)
        .collect()
        .await;
    links
        .chain(images.into_iter().flatten())
        .chain(left_out)
        .collect()
}

async fn thumbnail_block(app: &App, id: MediaId) -> Option<ContentBlock> {
    let file = load_stored_image(&app.gateway.services, &id).await.ok()??;
    let jpeg = pictures::thumbnail(file, LARGEST / MOST * 3 / 4)
        .await
        .ok()?;
    Some(ContentBlock::image(STANDARD.encode(jpeg), "image/jpeg"))
}
