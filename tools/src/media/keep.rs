//! Stores a generated image together with its inputs.

use sha2::{Digest, Sha256};

use super::contents::Claim;
use domain::{MediaId, MemberId, hex, time::Millis};
use gateway::{Context, Error, Result, Services};
use ports::Picture;
use store::{
    Conn,
    media::{self, Media},
    media_sources::{self, Source},
};

/// The purpose, in `derived_media`, of a background that was drawn for one card. Corrections of the
/// card are drawn over the same background.
const BACKGROUND: &str = "background";

/// Returns the warnings of the image generator as sentences.
pub(super) fn picture_warnings(picture: &Picture) -> Vec<String> {
    let sentences = picture.warnings.iter();
    let sentences = sentences.map(|warning| format!("Nesta peça, {warning}."));
    sentences.collect()
}

/// Writes an image to the storage and builds its row. The caller inserts the row and releases the
/// claim.
///
/// `number` is the position of the image in its call. The id contains the time plus this number, so
/// that the ids are in order.
pub(crate) async fn store_image(
    ctx: &Context<'_>,
    picture: Picture,
    number: i64,
    kind: &str,
    alt: Option<&str>,
    origin: &str,
) -> Result<(Media, Claim)> {
    let made_by = (&ctx.caller()?.member.id, ctx.now + number);
    let (mut media, claim) =
        store_image_by(ctx.services, made_by, picture, (kind, alt, origin)).await?;
    media.created_at = ctx.now;
    Ok((media, claim))
}

/// Writes an image to the storage and builds its row, like [`store_image`], for a job that acts on
/// behalf of a member at this instant.
pub(crate) async fn store_image_by(
    services: &Services,
    (member, now): (&MemberId, Millis),
    picture: Picture,
    (kind, alt, origin): (&str, Option<&str>, &str),
) -> Result<(Media, Claim)> {
    let bytes = picture.bytes.clone();
    let digest = tokio::task::spawn_blocking(move || hex(&Sha256::digest(&bytes)));
    let sha256 = digest.await.map_err(Error::internal)?;
    let media = Media {
        id: MediaId::new(now),
        sha256,
        media_type: picture.media_type.into(),
        bytes: i64::try_from(picture.bytes.len()).map_err(Error::internal)?,
        width: Some(picture.width.into()),
        height: Some(picture.height.into()),
        kind: kind.into(),
        alt: alt.map(Into::into),
        origin: origin.into(),
        created_by: member.clone(),
        created_at: now,
        source_url: None,
    };
    let claim = Claim::write_bytes(services, &media.sha256, picture.bytes).await?;
    Ok((media, claim))
}

/// A generated image whose bytes are stored and whose rows are not inserted yet.
pub(super) struct Made {
    pub media: Media,
    background: Option<Media>,
    source: Source,
}

impl Made {
    /// Writes the bytes of the image, and of a background that a provider drew for it. The caller
    /// inserts the rows and releases the claims.
    pub(super) async fn write_picture(
        ctx: &Context<'_>,
        mut picture: Picture,
        number: i64,
        (kind, alt, origin): (&str, &str, &str),
        mut source: Source,
        claims: &mut Vec<Claim>,
    ) -> Result<Self> {
        let mut background = None;
        if let Some(bytes) = picture.background.take() {
            let alone = Picture {
                bytes,
                warnings: vec![],
                ..picture.clone()
            };
            let (media, claim) = store_image(ctx, alone, number, BACKGROUND, None, origin).await?;
            claims.push(claim);
            source.background_id = Some(media.id.clone());
            background = Some(media);
        }
        let (media, claim) = store_image(ctx, picture, number, kind, Some(alt), origin).await?;
        claims.push(claim);
        Ok(Self {
            media,
            background,
            source,
        })
    }

    /// Inserts the rows.
    pub(super) async fn insert_rows(&self, db: &Conn<'_>) -> Result<()> {
        media::insert(db, &self.media).await?;
        if let Some(background) = &self.background {
            media::insert(db, background).await?;
            media::insert_derived(db, &self.media.id, BACKGROUND, &background.id).await?;
        }
        media_sources::insert(db, &self.media.id, &self.source).await?;
        Ok(())
    }
}

/// Releases the claims of a call.
pub(super) async fn release_claims(ctx: &Context<'_>, claims: Vec<Claim>) {
    for claim in claims {
        claim.release_claim(ctx.services).await;
    }
}
