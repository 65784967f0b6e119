//! Reduced images, for pages that show many media.
//!
//! An image is reduced on its first request, while its original is claimed. Removing the original
//! also removes its reduced images. A medium that cannot be reduced is served unchanged. The route
//! belongs to the console and is not published.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::{ImageReader, LINK_INVALID, Links, contents::Claim, original_content, photo};
use domain::{Error, MediaId, PICTURE_WIDTHS};
use gateway::{
    Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Services, Spec,
    StaticDocument, Verb,
};
use store::media::{self, Media, reduced_image_path};

/// Maximum images reduced at the same time. The number is below the limit for drawing, so that drawing
/// does not wait for reductions.
const AT_ONCE: usize = 2;
/// Maximum bytes of a reduced image.
const LARGEST: u64 = 10_000_000;
/// An image of at most this many bytes that is not wider than requested is served unchanged.
const SMALL: i64 = 64_000;

/// Serves an image in one of the widths that pages use, to a caller with a valid signed link of the
/// medium.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetReducedMedia {
    /// Identificador.
    #[schemars(length(min = 1))]
    id: String,
    /// Pixels de largura.
    #[schemars(regex(pattern = "^[0-9]{1,4}$"))]
    largura: String,
    /// Até quando vale, em segundos Unix.
    #[schemars(regex(pattern = "^[0-9]{1,12}$"))]
    exp: String,
    /// Assinatura do link.
    #[schemars(regex(pattern = "^[A-Za-z0-9._-]{1,128}$"))]
    sig: String,
}

/// The page's entry in the table.
pub(super) const PAGE: Entry = Entry::for_page::<GetReducedMedia>(
    Spec::new(
        "get_reduced_media",
        "Baixar imagem reduzida por link assinado",
        Verb::Get,
        "/media/{id}/{largura}",
    )
    .access(Access::Public)
    .extension()
    .serves(OutputForm::Bytes)
    .partial(&[206, 304])
    .fails(&[403, 404, 416, 500, 503])
    .faulty_as(LINK_INVALID),
    "Uma imagem em uma das larguras que as páginas usam, com o link assinado da mídia.",
);

impl Page for GetReducedMedia {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        // Checks the link before any lookup. The link of a medium is also valid for its reduced
        // images.
        let links = ctx.services.parts.get::<Links>();
        let id = MediaId::from_stored(self.id).ok_or_else(|| Error::new(LINK_INVALID))?;
        if !links.is_valid(&id, &self.exp, &self.sig, ctx.now) {
            return Err(Error::new(LINK_INVALID));
        }
        let width = self.largura.parse().ok();
        let width = width.filter(|width| PICTURE_WIDTHS.contains(width));
        let width = width.ok_or_else(|| Error::not_found("largura"))?;
        let media = media::find(&ctx.db(), &id).await?;
        let media = media.ok_or_else(|| Error::not_found("mídia"))?;
        let (content, cache) = if is_small(&media, width) {
            (original_content(media), LASTING)
        } else if media.media_type.starts_with("image/") {
            match load_or_reduce(ctx.services, &media, width).await {
                Ok(bytes) => (
                    Content::Document(StaticDocument::new("image/jpeg", bytes)),
                    LASTING,
                ),
                Err(error) => {
                    tracing::warn!(
                        media = media.id.as_str(),
                        error = error.text_with_causes(),
                        "uma imagem não foi reduzida"
                    );
                    (original_content(media), PASSING)
                }
            }
        } else {
            (original_content(media), PASSING)
        };
        Ok(Reply::new(content)
            .with_header("cache-control", cache)
            .with_header("content-security-policy", "sandbox; default-src 'none'"))
    }
}

/// The `cache-control` of a reduced image, which never changes.
const LASTING: &str = "private, max-age=604800, immutable";
/// The `cache-control` of an original that is served in place of a reduced image.
const PASSING: &str = "private, max-age=3600";

/// True if the image is too small for a reduction to be worthwhile.
fn is_small(media: &Media, width: u32) -> bool {
    let narrow = media.width.is_some_and(|pixels| pixels <= i64::from(width));
    media.media_type.starts_with("image/") && narrow && media.bytes <= SMALL
}

/// Returns the image at this width. The first request creates and stores it.
async fn load_or_reduce(services: &Services, media: &Media, width: u32) -> Result<Bytes> {
    static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);
    let path = reduced_image_path(&media.sha256, width);
    if let Some(kept) = photo::read_path(services, &path, LARGEST).await? {
        return Ok(kept);
    }
    let _turn = TURNS.acquire().await.map_err(Error::internal)?;
    // Another caller may have created the image while this call waited.
    if let Some(kept) = photo::read_path(services, &path, LARGEST).await? {
        return Ok(kept);
    }
    let file = photo::load_file(services, media).await?;
    let reader = services.parts.get::<ImageReader>();
    let made = reader.to_small_jpeg(file, width).await?.bytes;
    if let Err(error) = store_reduced(services, media, &path, made.clone()).await {
        tracing::warn!(
            media = media.id.as_str(),
            error = error.text_with_causes(),
            "uma imagem reduzida não foi guardada"
        );
    }
    Ok(made)
}

/// Stores a reduced image beside its original. The original is claimed during the write, so that a
/// removal of the original also removes the reduced image.
async fn store_reduced(services: &Services, media: &Media, path: &str, bytes: Bytes) -> Result<()> {
    let claim = Claim::claim_existing(services, &media.sha256).await?;
    let put = services.blobs.store_bytes(path, bytes).await;
    claim.release_claim(services).await;
    put
}
