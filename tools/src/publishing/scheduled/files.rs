//! The files of a post in the form that the network accepts.
//!
//! Images that the network does not accept, and images that the variant crops, are converted once: the
//! JPEG is a separate medium, recorded in `derived_media`.

use domain::{Code, Format, MediaId, variant::Crop};
use gateway::{Error, Result, Services};
use ports::publishing::{ImageLimits, NetworkPost, Placement, PostFile, PublishingNetwork};
use store::{
    media::{self, Media, storage_path},
    scheduled_posts::ScheduledPost,
};

use super::stored_post::StoredPost;
use crate::{
    links::Links,
    media::{ImageReader, load_file, read_duration, store_image_by},
};

/// The origin that converted media are stored with.
const PURPOSE: &str = "post";

/// Builds the post for the network, with links to its files that are valid for days.
pub(super) async fn build_post(
    services: &Services,
    publication: &ScheduledPost,
    post: &StoredPost,
    api: &dyn PublishingNetwork,
) -> Result<NetworkPost> {
    let format: Option<Format> = publication.kind.parse().ok();
    let placement = format.map_or(Placement::Feed, Placement::from);
    let limits = match placement {
        Placement::Document => api.page_limits(),
        _ => api.image_limits(),
    };
    let mut files = Vec::with_capacity(post.files.len());
    for file in &post.files {
        let sent = match file.is_video {
            true => find(services, &file.id).await?,
            false => convert_where_needed(services, &file.id, file.crop, limits).await?,
        };
        let milliseconds = match file.is_video {
            true => read_duration(services, &sent).await?,
            false => None,
        };
        files.push(PostFile {
            alt: file.alt.clone(),
            seconds: milliseconds.map(|length| length.div_ceil(1_000)),
            ..to_file(services, &sent)
        });
    }
    let cover = match &post.cover {
        Some(id) => Some(convert_where_needed(services, id, None, api.cover_limits()).await?),
        None => None,
    };
    Ok(NetworkPost {
        placement,
        title: post.title.clone(),
        caption: post.caption.clone(),
        tags: post.tags.clone(),
        privacy: post.privacy.clone(),
        files,
        cover: cover.map(|cover| to_file(services, &cover)),
        cover_at: post.cover_at,
        in_feed: true,
        comments_off: post.comments_off,
        disclosure: post.disclosure(),
        playlist: post.playlist.clone(),
    })
}

/// Returns the length of the longest video of a post, in seconds; `None` if no length can be read.
pub(super) async fn load_longest(services: &Services, post: &StoredPost) -> Option<u64> {
    let mut longest = None;
    for file in post.files.iter().filter(|file| file.is_video) {
        let Ok(media) = find(services, &file.id).await else {
            continue;
        };
        let length = read_duration(services, &media).await.unwrap_or_default();
        longest = longest.max(length.map(|length| length.div_ceil(1_000)));
    }
    longest
}

fn to_file(services: &Services, media: &Media) -> PostFile {
    let links = services.parts.get::<Links>();
    PostFile {
        url: links.media_url(&media.id, services.clock.now()),
        path: storage_path(&media.sha256),
        bytes: media.bytes.unsigned_abs(),
        media_type: media.media_type.clone(),
        is_video: media.media_type.starts_with("video/"),
        seconds: None,
        alt: None,
    }
}

/// Finds a medium. Refuses (400) a medium that does not exist any more.
async fn find(services: &Services, id: &MediaId) -> Result<Media> {
    let found = media::find(&services.db.reader(), id).await?;
    found.ok_or_else(|| Error::new(Code::INVALID_INPUT).because("a mídia sumiu"))
}

/// Returns the medium to send: the stored medium if the network accepts it, otherwise its JPEG.
///
/// Refuses (400) an image that does not exist any more or cannot be decoded.
async fn convert_where_needed(
    services: &Services,
    id: &MediaId,
    crop: Option<Crop>,
    limits: ImageLimits,
) -> Result<Media> {
    let source = find(services, id).await?;
    if is_accepted(&source, crop, limits) {
        return Ok(source);
    }
    let ImageLimits { sides, purpose, .. } = limits;
    let purpose = match crop {
        Some(Crop { aspect, x, y }) => format!("{purpose}:{aspect}:{x:.3}:{y:.3}"),
        None => purpose.to_owned(),
    };
    if let Some(made) = media::find_derived(&services.db.reader(), id, &purpose).await? {
        return find(services, &made).await;
    }
    let reader = services.parts.get::<ImageReader>();
    let file = load_file(services, &source).await?;
    let picture = match crop {
        Some(Crop { aspect, x, y }) => {
            reader
                .to_cropped_jpeg(file, aspect.ratio(), (x, y), sides)
                .await?
        }
        None => reader.to_jpeg(file, sides.0, sides.1).await?,
    };
    let made_by = (&source.created_by, services.clock.now());
    let described = (source.kind.as_str(), source.alt.as_deref(), PURPOSE);
    let (made, claim) = store_image_by(services, made_by, picture, described).await?;
    let stored = store_derived(services, &source, &purpose, &made).await;
    claim.release_claim(services).await;
    stored
}

fn is_accepted(media: &Media, crop: Option<Crop>, limits: ImageLimits) -> bool {
    let is_type = limits.types.contains(&&*media.media_type);
    crop.is_none()
        && is_type
        && media.bytes <= limits.most_bytes
        && has_accepted_sides(media, limits)
}

/// Returns true if the image need not be resized. A GIF is never resized, because its JPEG would lose
/// the animation.
fn has_accepted_sides(media: &Media, limits: ImageLimits) -> bool {
    let (Some(width), Some(height)) = (media.width, media.height) else {
        return true;
    };
    let (shorter, longer) = limits.sides;
    let within = width.min(height) <= shorter.into() && width.max(height) <= longer.into();
    within || media.media_type == "image/gif"
}

async fn store_derived(
    services: &Services,
    source: &Media,
    purpose: &str,
    made: &Media,
) -> Result<Media> {
    let tx = services.db.begin().await?;
    media::insert(&tx.conn(), made).await?;
    if media::insert_derived(&tx.conn(), &source.id, purpose, &made.id).await? {
        tx.commit().await?;
        return Ok(made.clone());
    }
    drop(tx);
    // Another instance has stored the converted image first.
    let made = media::find_derived(&services.db.reader(), &source.id, purpose).await?;
    let made = made.ok_or_else(|| Error::internal("a derived medium disappeared"))?;
    find(services, &made).await
}
