//! A stored image as the background of a text.

use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;

use crate::visibility;
use domain::MediaId;
use gateway::{Context, Error, Result, Services};
use store::media::{Media, storage_path};

/// Maximum bytes of a photo, the same as for an uploaded image.
const MOST: i64 = 25_000_000;

/// Loads the bytes of an image that the caller may see; `None` without an id.
pub(super) async fn load_photo(ctx: &Context<'_>, id: Option<&MediaId>) -> Result<Option<Bytes>> {
    let Some(id) = id else { return Ok(None) };
    load_file(ctx.services, &require_image(ctx, id).await?)
        .await
        .map(Some)
}

/// Finds an image that the caller may see. Refuses (400) a medium that is not an image.
pub(crate) async fn require_image(ctx: &Context<'_>, id: &MediaId) -> Result<Media> {
    let found = visibility::require_media(ctx, std::slice::from_ref(id)).await?;
    let media = found
        .into_iter()
        .next()
        .ok_or_else(|| Error::not_found_in("mídia", "list_media"))?;
    require_photo(&media, "media_id")?;
    Ok(media)
}

/// Refuses (400) a medium that cannot be a background. The error names `field`.
pub(super) fn require_photo(media: &Media, field: &str) -> Result<()> {
    if media.media_type.starts_with("image/") && media.bytes <= MOST {
        return Ok(());
    }
    Err(Error::invalid_field(
        field,
        "image",
        "precisa ser de uma imagem, e não de um vídeo",
    ))
}

/// Loads the bytes of a stored image, without checking who may see it. `None` when the medium is
/// not an image or was deleted.
pub async fn load_stored_image(services: &Services, id: &MediaId) -> Result<Option<Bytes>> {
    match store::media::find(&services.db.reader(), id).await? {
        Some(media) if media.media_type.starts_with("image/") => {
            load_file(services, &media).await.map(Some)
        }
        _ => Ok(None),
    }
}

/// Loads the bytes of a stored medium.
pub(crate) async fn load_file(services: &Services, media: &Media) -> Result<Bytes> {
    let length = u64::try_from(media.bytes).map_err(Error::internal)?;
    let path = storage_path(&media.sha256);
    let Some(bytes) = read_path(services, &path, length).await? else {
        let absent = || Error::internal("falta um arquivo guardado");
        return Err(gateway::empty_storage_error(services)
            .await?
            .unwrap_or_else(absent));
    };
    Ok(bytes)
}

/// Reads at most this many bytes from a path of the storage; `None` when there is no file.
pub(super) async fn read_path(services: &Services, path: &str, most: u64) -> Result<Option<Bytes>> {
    let Some(stream) = services.blobs.read_range(path, 0..most).await? else {
        return Ok(None);
    };
    let bytes: BytesMut = stream
        .try_fold(BytesMut::new(), |mut all, part| async move {
            all.extend_from_slice(&part);
            Ok(all)
        })
        .await?;
    Ok(Some(bytes.freeze()))
}
