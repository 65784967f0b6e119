//! The files of a post in the form that the network accepts.
//!
//! Instagram accepts JPEG only, up to 8 MB; wider images than 1,440 pixels are reduced
//! (<https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media>,
//! read on 2026-11-28). Other images, and those that the variant crops, are converted once: the JPEG
//! is a separate medium, recorded in `derived_media`.

use domain::{Code, MediaId, variant::Crop};
use gateway::{Error, Result, Services};
use ports::publishing::{NetworkPost, PostFile};
use store::{
    media::{self, Media},
    scheduled_posts::ScheduledPost,
};

use super::stored_post::{StoredPost, placement_of};
use crate::{
    links::Links,
    media::{ImageReader, load_file, store_image_by},
};

/// Maximum pixels of the shorter and of the longer side.
const SIDES: (u32, u32) = (1_440, 2_560);
const MOST_BYTES: i64 = 8_000_000;
/// The purpose recorded with the converted media.
const PURPOSE: &str = "post";

/// Builds the post that the network gets, with links that are valid for days.
pub(super) async fn build_post(
    services: &Services,
    publication: &ScheduledPost,
    post: &StoredPost,
) -> Result<NetworkPost> {
    let mut files = Vec::with_capacity(post.files.len());
    for file in &post.files {
        let id = match file.is_video {
            true => file.id.clone(),
            false => convert_where_needed(services, &file.id, file.crop).await?,
        };
        files.push(PostFile {
            url: link(services, &id),
            is_video: file.is_video,
            alt: file.alt.clone(),
        });
    }
    let cover = match &post.cover {
        Some(id) => Some(convert_where_needed(services, id, None).await?),
        None => None,
    };
    Ok(NetworkPost {
        placement: placement_of(&publication.kind),
        caption: post.caption.clone(),
        files,
        cover: cover.map(|id| link(services, &id)),
        cover_at: None,
        in_feed: true,
    })
}

fn link(services: &Services, id: &MediaId) -> String {
    let links = services.parts.get::<Links>();
    links.media_url(id, services.clock.now())
}

/// Returns the medium to send: the same one, or its JPEG.
///
/// Refused (400) when the image is gone or cannot be decoded.
async fn convert_where_needed(
    services: &Services,
    id: &MediaId,
    crop: Option<Crop>,
) -> Result<MediaId> {
    let db = services.db.reader();
    let found = media::find(&db, id).await?;
    let source = found.ok_or_else(|| Error::new(Code::INVALID_INPUT).because("a mídia sumiu"))?;
    if is_accepted(&source, crop) {
        return Ok(source.id);
    }
    let purpose = match crop {
        Some(Crop { aspect, x, y }) => format!("{PURPOSE}:{aspect}:{x:.3}:{y:.3}"),
        None => PURPOSE.to_owned(),
    };
    if let Some(made) = media::find_derived(&db, id, &purpose).await? {
        return Ok(made);
    }
    let reader = services.parts.get::<ImageReader>();
    let file = load_file(services, &source).await?;
    let picture = match crop {
        Some(Crop { aspect, x, y }) => {
            reader
                .to_cropped_jpeg(file, aspect.ratio(), (x, y), SIDES)
                .await?
        }
        None => reader.to_jpeg(file, SIDES.0, SIDES.1).await?,
    };
    let made_by = (&source.created_by, services.clock.now());
    let described = (source.kind.as_str(), source.alt.as_deref(), PURPOSE);
    let (made, claim) = store_image_by(services, made_by, picture, described).await?;
    let stored = store_derived(services, &source, &purpose, &made).await;
    claim.release_claim(services).await;
    stored
}

fn is_accepted(media: &Media, crop: Option<Crop>) -> bool {
    crop.is_none() && media.media_type == "image/jpeg" && media.bytes <= MOST_BYTES
}

async fn store_derived(
    services: &Services,
    source: &Media,
    purpose: &str,
    made: &Media,
) -> Result<MediaId> {
    let tx = services.db.begin().await?;
    media::insert(&tx.conn(), made).await?;
    if media::insert_derived(&tx.conn(), &source.id, purpose, &made.id).await? {
        tx.commit().await?;
        return Ok(made.id.clone());
    }
    drop(tx);
    // Another instance has stored the converted image first.
    let made = media::find_derived(&services.db.reader(), &source.id, purpose).await?;
    made.ok_or_else(|| Error::internal("a derived medium disappeared"))
}
