use schemars::JsonSchema;
use serde::Deserialize;

use super::{LINK_INVALID, Links, original_content};
use domain::{Error, MediaId};
use gateway::{Access, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use store::media;

/// Serves the bytes of a media file to a caller with a valid signed link.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetMedia {
    /// Identificador.
    #[schemars(length(min = 1))]
    id: String,
    /// Até quando vale, em segundos Unix.
    #[schemars(regex(pattern = "^[0-9]{1,12}$"))]
    exp: String,
    /// Assinatura do link.
    #[schemars(regex(pattern = "^[A-Za-z0-9._-]{1,128}$"))]
    sig: String,
}

/// The page's entry in the table.
pub const GET_MEDIA: Entry = Entry::for_page::<GetMedia>(
    Spec::new(
        "get_media",
        "Baixar mídia por link assinado",
        Verb::Get,
        "/media/{id}",
    )
    .access(Access::Public)
    .serves(OutputForm::Bytes)
    .partial(&[206, 304])
    .fails(&[403, 404, 416, 500, 503])
    .faulty_as(LINK_INVALID),
    "Os bytes de uma mídia. O link vem assinado nas respostas das operações e vale 7 dias; aceita \
     HEAD, Range e If-None-Match.",
);

impl Page for GetMedia {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        // Checks the link before any lookup.
        let links = ctx.services.parts.get::<Links>();
        let id = MediaId::from_stored(self.id).ok_or_else(|| Error::new(LINK_INVALID))?;
        if !links.is_valid(&id, &self.exp, &self.sig, ctx.now) {
            return Err(Error::new(LINK_INVALID));
        }
        let media = media::find(&ctx.db(), &id).await?;
        let media = media.ok_or_else(|| Error::not_found("mídia"))?;
        Ok(Reply::new(original_content(media))
            .with_header("cache-control", "private, max-age=3600")
            .with_header("content-security-policy", "sandbox; default-src 'none'"))
    }
}
