use schemars::JsonSchema;
use serde::Deserialize;

use super::guest_post::list_shown_variants;
use crate::{guest_scope, media::original_content, post_file::post_file};
use domain::{Error, EventId, Format, GuestRight, MediaId};
use gateway::{Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use store::{media, variants};

/// Serves a medium of a piece that the link of the guest shows.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetGuestMedia {
    /// O segredo do link.
    #[schemars(extend("examples" = ["convidada-de-exemplo-do-demo-da-Pauta-00001"]))]
    #[expect(dead_code, reason = "the caller was authenticated with it")]
    link: String,
    /// Id da mídia.
    #[serde(rename = "mediaId")]
    #[schemars(extend("examples" = ["01990000-0000-7000-8000-000000000021"]))]
    media_id: MediaId,
    /// Com `canal` e `formato`: a imagem como este canal desta peça a recorta.
    peca: Option<EventId>,
    /// O canal.
    #[schemars(length(min = 1, max = 60))]
    canal: Option<String>,
    /// O formato.
    formato: Option<Format>,
}

/// The page's entry in the table.
pub(super) const PAGE: Entry = Entry::for_page::<GetGuestMedia>(
    Spec::new(
        "get_guest_media",
        "Ver mídia de um link de convidado",
        Verb::Get,
        "/convidado/{link}/midia/{mediaId}",
    )
    .access(Access::Guest(Some(GuestRight::See)))
    .serves(OutputForm::Bytes)
    .extension()
    .partial(&[206, 304])
    .fails(&[400, 401, 403, 404, 416, 429, 500, 503]),
    "Os bytes de uma mídia das peças de um link de convidado.",
);

impl Page for GetGuestMedia {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let content = match &self.peca {
            Some(id) => self.find_medium_in_post(ctx, id).await?,
            None if guest_scope::shows_medium(ctx, &self.media_id).await? => {
                let found = media::find(&ctx.db(), &self.media_id).await?;
                found.map(original_content)
            }
            None => None,
        };
        let content = content.ok_or_else(|| Error::not_found("mídia"))?;
        Ok(Reply::new(content)
            // Makes the browser ask again on each read, so that the browser does not show a stored
            // medium after the link has ended.
            .with_header("cache-control", "private, no-cache")
            .with_header("content-security-policy", "sandbox; default-src 'none'"))
    }
}

impl GetGuestMedia {
    /// Finds the medium as a post of the piece shows it; `None` if guests do not see this post, or if
    /// the post does not contain the medium.
    async fn find_medium_in_post(
        &self,
        ctx: &Context<'_>,
        id: &EventId,
    ) -> Result<Option<Content>> {
        let piece = guest_scope::require_piece(ctx, id).await?;
        let all = variants::list(&ctx.db(), &piece.id).await?;
        let mut shown = list_shown_variants(&piece, &all);
        let post = shown.find(|variant| {
            Some(&variant.channel) == self.canal.as_ref() && Some(variant.format) == self.formato
        });
        let media = post.map(|variant| variant.resolve(&piece).media);
        let mut media = media.unwrap_or_default().into_iter();
        match media.find(|medium| medium.id == self.media_id) {
            Some(medium) => post_file(ctx, &medium).await,
            None => Ok(None),
        }
    }
}
