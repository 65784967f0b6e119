//! Stores a generated image.

use sha2::{Digest, Sha256};

use super::contents::Claim;
use domain::{MediaId, hex};
use gateway::{Context, Error, Result};
use ports::Picture;
use store::media::Media;

/// The warnings of the image generator as sentences. With several images, each sentence names its
/// card.
pub(super) fn warnings<'a>(pictures: impl IntoIterator<Item = &'a Picture>) -> Vec<String> {
    let pictures: Vec<&Picture> = pictures.into_iter().collect();
    let many = pictures.len() > 1;
    let told = (1..).zip(pictures).flat_map(|(number, picture): (u32, _)| {
        let place = if many {
            format!("No card {number}, ")
        } else {
            "Nesta peça, ".into()
        };
        let told = picture.warnings.iter();
        told.map(move |warning| format!("{place}{warning}."))
    });
    told.collect()
}

/// Writes an image to the storage and builds its row. The caller inserts the row and releases the
/// claim.
///
/// `number` is the position of the image in its call. It is added to the time in the id, so that
/// the ids are in order.
pub(crate) async fn store_image(
    ctx: &Context<'_>,
    picture: Picture,
    number: i64,
    kind: &str,
    alt: Option<&str>,
    origin: &str,
) -> Result<(Media, Claim)> {
    let bytes = picture.bytes.clone();
    let digest = tokio::task::spawn_blocking(move || hex(&Sha256::digest(&bytes)));
    let sha256 = digest.await.map_err(Error::internal)?;
    let media = Media {
        id: MediaId::new(ctx.now + number),
        sha256,
        media_type: picture.media_type.into(),
        bytes: i64::try_from(picture.bytes.len()).map_err(Error::internal)?,
        width: Some(picture.width.into()),
        height: Some(picture.height.into()),
        kind: kind.into(),
        alt: alt.map(Into::into),
        origin: origin.into(),
        created_by: ctx.caller()?.member.id.clone(),
        created_at: ctx.now,
    };
    let claim = Claim::write_bytes(ctx.services, &media.sha256, picture.bytes).await?;
    Ok((media, claim))
}
