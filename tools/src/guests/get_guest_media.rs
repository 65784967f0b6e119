use schemars::JsonSchema;
use serde::Deserialize;

use crate::{guest_scope, media::original_content};
use domain::{Error, GuestRight, MediaId};
use gateway::{Access, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use store::media;

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
        let found = match guest_scope::shows_medium(ctx, &self.media_id).await? {
            true => media::find(&ctx.db(), &self.media_id).await?,
            false => None,
        };
        let media = found.ok_or_else(|| Error::not_found("mídia"))?;
        Ok(Reply::new(original_content(media))
            // After the link has ended, a browser must not show what it stored.
            .with_header("cache-control", "private, no-cache")
            .with_header("content-security-policy", "sandbox; default-src 'none'"))
    }
}
