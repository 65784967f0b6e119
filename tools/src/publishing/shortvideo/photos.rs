//! Photos in the form that the provider accepts: JPEG or WebP, at most 1080p and 20 MB.
//!
//! <https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide>
//!
//! The provider fetches photos by their signed links. Images in other formats or sizes are
//! converted once: the JPEG is a separate medium, recorded in `derived_media`, and not listed among
//! the team's media.

use domain::MediaId;
use gateway::{Code, Context, Error, Result};
use ports::shortvideo::Chunks;
use store::media::{self, Media};

use super::post::{media_fault, require_no_faults};
use crate::media::{ImageReader, load_file, store_image};

/// The maximum length of the shorter side and of the longer side of a photo, in pixels.
const SIDES: (u32, u32) = (1_080, 1_920);
const MOST_BYTES: i64 = 20_000_000;
/// The purpose that converted media are stored with.
const PURPOSE: &str = "shortvideo";

/// The allowed length of each side of a video, in pixels.
const VIDEO_SIDES: std::ops::RangeInclusive<i64> = 360..=4_096;

/// Refuses (400) media that are not photos.
pub(super) fn require_photos(all: &[Media]) -> Result<()> {
    let faults = all.iter().enumerate().filter_map(|(index, media)| {
        let message = match media.media_type.as_str() {
            "image/jpeg" | "image/png" | "image/webp" => return None,
            "image/gif" => "é GIF, que o TikTok não publica: use JPEG, PNG ou WebP",
            _ => "é um vídeo: publique-o sozinho, com `type` VIDEO",
        };
        Some(media_fault(index, media, "type", message))
    });
    require_no_faults(faults.collect())
}

/// Refuses (400) media that are not a single video with allowed sides.
pub(super) fn require_single_video(all: &[Media]) -> Result<()> {
    let faults = all.iter().enumerate().filter_map(|(index, media)| {
        let sides = [media.width, media.height];
        let (rule, message) = if !media.media_type.starts_with("video/") {
            ("type", "é uma imagem: use `type` PHOTO")
        } else if index > 0 {
            ("maxItems", "é o segundo vídeo: publique um por vez")
        } else if sides
            .iter()
            .flatten()
            .any(|side| !VIDEO_SIDES.contains(side))
        {
            ("size", "tem um lado fora de 360 a 4096 pixels")
        } else {
            return None;
        };
        Some(media_fault(index, media, rule, message))
    });
    require_no_faults(faults.collect())
}

/// Divides a video of this size into the chunks of its upload.
pub(super) fn divide_into_chunks(bytes: i64) -> Chunks {
    Chunks::for_size(bytes.unsigned_abs())
}

/// Returns the ids of the media to send. Photos that the provider does not accept are replaced by their
/// JPEGs.
pub(super) async fn convert_where_needed(ctx: &Context<'_>, all: &[Media]) -> Result<Vec<MediaId>> {
    let mut fitted = Vec::with_capacity(all.len());
    for (index, media) in all.iter().enumerate() {
        fitted.push(match is_accepted(media) {
            true => media.id.clone(),
            false => load_or_convert(ctx, index, media).await?,
        });
    }
    Ok(fitted)
}

fn is_accepted(media: &Media) -> bool {
    let (Some(width), Some(height)) = (media.width, media.height) else {
        return false;
    };
    let (shorter, longer) = SIDES;
    let within = width.min(height) <= shorter.into() && width.max(height) <= longer.into();
    let accepted = matches!(media.media_type.as_str(), "image/jpeg" | "image/webp");
    accepted && within && media.bytes <= MOST_BYTES
}

/// Returns the JPEG of an image. The first call creates and stores the JPEG.
async fn load_or_convert(ctx: &Context<'_>, index: usize, source: &Media) -> Result<MediaId> {
    if let Some(id) = media::find_derived(&ctx.db(), &source.id, PURPOSE).await? {
        return Ok(id);
    }
    let reader = ctx.services.parts.get::<ImageReader>();
    let jpeg = reader.to_jpeg(load_file(ctx.services, source).await?, SIDES.0, SIDES.1);
    let jpeg = jpeg.await.map_err(|error| match error.code {
        Code::INVALID_INPUT => {
            let broken = media_fault(index, source, "image", "não abre como imagem");
            Error::from_faults(vec![broken])
        }
        _ => error,
    })?;
    let alt = source.alt.as_deref();
    let (made, claim) = store_image(ctx, jpeg, 0, &source.kind, alt, PURPOSE).await?;
    let stored = store_derived(ctx, source, &made).await;
    claim.release_claim(ctx.services).await;
    stored
}

async fn store_derived(ctx: &Context<'_>, source: &Media, made: &Media) -> Result<MediaId> {
    let tx = ctx.begin().await?;
    media::insert(&tx.conn(), made).await?;
    if media::insert_derived(&tx.conn(), &source.id, PURPOSE, &made.id).await? {
        tx.commit().await?;
        return Ok(made.id.clone());
    }
    drop(tx);
    // Another caller has stored the converted image first.
    let made = media::find_derived(&ctx.db(), &source.id, PURPOSE).await?;
    made.ok_or_else(|| Error::internal("a derived medium disappeared"))
}
