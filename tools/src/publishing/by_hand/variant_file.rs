//! Serves single files of a variant for a post by hand. If the variant crops an image, the cropped
//! image is served.

use domain::{Capability, Error, EventId, Format};
use gateway::{Access, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use schemars::JsonSchema;
use serde::Deserialize;
use store::variants;

use crate::{post_file::post_file, visibility};

/// Serves a file of a variant, as it is posted.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetVariantFile {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O canal.
    canal: String,
    /// O formato.
    formato: Format,
    /// O número do arquivo, a partir de 1.
    #[schemars(regex(pattern = "^[0-9]{1,2}$"))]
    numero: String,
}

/// Serves the file to a member with a browser session.
pub(in crate::publishing) const FOR_BROWSER: Entry = Entry::for_page::<GetVariantFile>(
    Spec::new(
        "console_variant_file",
        "Baixar um arquivo de um canal da peça",
        Verb::Get,
        "/eventos/{eventId}/canais/{canal}/{formato}/arquivos/{numero}",
    )
    .access(Access::Browser)
    .console()
    .sends(OutputForm::Bytes)
    .partial(&[206, 304])
    .fails(&[400, 403, 404, 503]),
    "Um arquivo de um canal da peça, como ele é postado.",
);

impl Page for GetVariantFile {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        ctx.caller()?
            .authorize(Access::Member(Capability::TasksView))?;
        let db = ctx.db();
        let piece = visibility::require_event(ctx, &self.event_id).await?;
        let mut all = variants::list(&db, &piece.id).await?.into_iter();
        let variant =
            all.find(|variant| variant.channel == self.canal && variant.format == self.formato);
        let variant = variant.ok_or_else(|| Error::not_found("canal nesta peça"))?;
        let absent = || Error::not_found("arquivo neste canal");
        let number: Option<usize> = self.numero.parse().ok();
        let index = number.and_then(|number| number.checked_sub(1));
        let index = index.ok_or_else(absent)?;
        let mut files = variant.resolve(&piece).media;
        if index >= files.len() {
            return Err(absent());
        }
        let file = files.swap_remove(index);
        let content = post_file(ctx, &file).await?.ok_or_else(absent)?;
        Ok(Reply::new(content)
            .with_header("cache-control", "private, no-cache")
            .with_header("content-security-policy", "sandbox; default-src 'none'"))
    }
}
