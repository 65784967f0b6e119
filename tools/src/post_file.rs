//! Loads the file of a medium for a post. If the variant crops an image, the file is the cropped image.

use bytes::Bytes;
use domain::{
    Error,
    variant::{Crop, ResolvedMedium},
};
use gateway::{Content, Context, Result, StaticDocument};
use store::media::{self, Media};
use tokio::sync::Semaphore;

use crate::media::{ImageReader, load_file, original_content};

/// The maximum number of images that are cropped at the same time. It is below the limit for drawing
/// images, so that requests for drawings do not wait for crops.
const AT_ONCE: usize = 2;
/// The maximum length of the shorter side and of the longer side of a cropped image, in pixels.
const SIDES: (u32, u32) = (2_160, 3_840);

/// A file of a post.
pub(crate) enum PostFile {
    /// The stored file, unchanged.
    Original(Box<Media>),
    /// The cropped image, as a JPEG.
    Cropped(Bytes),
}

/// Returns the file of a medium of a post, for a response; `None` if the medium does not exist any more.
pub(crate) async fn post_file(
    ctx: &Context<'_>,
    medium: &ResolvedMedium,
) -> Result<Option<Content>> {
    let file = load_post_file(ctx, medium).await?;
    Ok(file.map(|file| match file {
        PostFile::Original(stored) => original_content(*stored),
        PostFile::Cropped(bytes) => Content::Document(StaticDocument::new("image/jpeg", bytes)),
    }))
}

/// Loads the file of a medium of a post; `None` if the medium does not exist any more.
pub(crate) async fn load_post_file(
    ctx: &Context<'_>,
    medium: &ResolvedMedium,
) -> Result<Option<PostFile>> {
    let Some(stored) = media::find(&ctx.db(), &medium.id).await? else {
        return Ok(None);
    };
    let is_image = stored.media_type.starts_with("image/");
    let Some(Crop { aspect, x, y }) = medium.crop.filter(|_| is_image) else {
        return Ok(Some(PostFile::Original(Box::new(stored))));
    };
    static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);
    let _turn = TURNS.acquire().await.map_err(Error::internal)?;
    let bytes = load_file(ctx.services, &stored).await?;
    let reader = ctx.services.parts.get::<ImageReader>();
    let cropped = reader.to_cropped_jpeg(bytes, aspect.ratio(), (x, y), SIDES);
    Ok(Some(PostFile::Cropped(cropped.await?.bytes)))
}
