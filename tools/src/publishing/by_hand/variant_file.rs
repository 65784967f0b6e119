//! The files of a variant as they are posted: an image that the variant crops is cropped.

use domain::{Capability, Error, EventId, Format, variant::Crop};
use gateway::{
    Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, StaticDocument, Verb,
};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{media, variants};
use tokio::sync::Semaphore;

use crate::{
    media::{ImageReader, load_file, original_content},
    visibility,
};

/// Images cropped at the same time. It is below the limit for drawing, so that drawing does not wait
/// for them.
const AT_ONCE: usize = 2;
/// Maximum pixels of the shorter and of the longer side of a cropped image.
const SIDES: (u32, u32) = (2_160, 3_840);

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
        let (db, services) = (ctx.db(), ctx.services);
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
        let stored = media::find(&db, &file.id).await?.ok_or_else(absent)?;
        let content = match file.crop {
            Some(Crop { aspect, x, y }) if stored.media_type.starts_with("image/") => {
                static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);
                let _turn = TURNS.acquire().await.map_err(Error::internal)?;
                let bytes = load_file(services, &stored).await?;
                let reader = services.parts.get::<ImageReader>();
                let cropped = reader.to_cropped_jpeg(bytes, aspect.ratio(), (x, y), SIDES);
                let cropped = cropped.await?.bytes;
                Content::Document(StaticDocument::new("image/jpeg", cropped))
            }
            _ => original_content(stored),
        };
        Ok(Reply::new(content)
            .with_header("cache-control", "private, no-cache")
            .with_header("content-security-policy", "sandbox; default-src 'none'"))
    }
}
