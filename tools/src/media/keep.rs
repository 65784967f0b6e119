//! Pictures into the storage, and out again when nothing came of them.

use sha2::{Digest, Sha256};

use crate::{
    domain::{hex, new_id},
    ports::Picture,
    registry::{Context, Error, Result},
    store::media::{self, Media, storage_path},
};

/// Puts a picture in the storage; the row is the caller's to commit.
///
/// `number` orders the pictures of one call, which share their instant, by their ids.
pub(super) async fn keep(
    ctx: &Context<'_>,
    picture: Picture,
    number: i64,
    kind: &str,
    alt: Option<&str>,
    origin: &str,
) -> Result<Media> {
    let bytes = picture.bytes.clone();
    let digest = tokio::task::spawn_blocking(move || hex(&Sha256::digest(&bytes)));
    let sha256 = digest.await.map_err(Error::internal)?;
    let media = Media {
        id: new_id(ctx.now + number),
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
    ctx.services
        .blobs
        .put(&storage_path(&media.sha256), picture.bytes)
        .await?;
    Ok(media)
}

/// Removes contents that no row refers to, after a failure. What cannot be removed now is only
/// space: the failure itself is what the caller hears of.
pub(super) async fn discard(ctx: &Context<'_>, kept: &[Media]) {
    for sha256 in kept.iter().map(|media| &media.sha256) {
        if let Err(error) = discard_content(ctx, sha256).await {
            tracing::warn!(sha256, %error, "an unused file stayed in the storage");
        }
    }
}

async fn discard_content(ctx: &Context<'_>, sha256: &str) -> Result<()> {
    if media::has_content(&ctx.services.db.reader(), sha256).await? {
        return Ok(());
    }
    ctx.services.blobs.delete(&storage_path(sha256)).await
}
