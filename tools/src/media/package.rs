//! Downloads the media and texts of an event in one archive, for people who publish by hand.
//!
//! The name of a medium begins with its number, so all names are different; the names of the text
//! files have no number.

use std::collections::{HashMap, VecDeque};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    archive::{ALTS, ArchiveFile, CAPTION, FileContent, serve_archive},
    package_names::{file_name, to_stem},
};
use crate::visibility::{self, EVENT};
use domain::{Attached, Capability, Error, EventId, MediaId};
use gateway::{Access, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use store::{
    events::Event,
    media::{Media, storage_path},
};

/// A caller who may read an event may also download its media.
const ACCESS: Access = Access::Member(Capability::TasksView);
const TITLE: &str = "Baixar tudo de uma peça";
const ZIP: OutputForm = OutputForm::Document("application/zip");

/// Serves the media, caption and alternative texts of an event as one archive.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetPackage {
    /// Id do evento.
    #[serde(rename = "eventId")]
    #[schemars(extend("examples" = ["01990000-0000-7000-8000-000000000017"]))]
    event_id: EventId,
}

/// The page's entry in the table.
pub(super) const PAGE: Entry = Entry::for_page::<GetPackage>(
    Spec::new(
        "get_event_package",
        TITLE,
        Verb::Get,
        "/api/eventos/{eventId}/pacote.zip",
    )
    .access(ACCESS)
    .about(EVENT, "eventId")
    .extension()
    .serves(ZIP)
    .fails(&[400, 401, 403, 404, 429, 500, 503]),
    "As mídias na ordem da publicação, a legenda e os textos alternativos, em um zip, para publicar à \
     mão.",
);

/// Serves the archive to a member with a browser session.
pub(super) const FOR_BROWSER: Entry = Entry::for_page::<GetPackage>(
    Spec::new(
        "console_event_package",
        TITLE,
        Verb::Get,
        "/eventos/{eventId}/pacote.zip",
    )
    .access(Access::Browser)
    .console()
    .sends(ZIP)
    .fails(&[403, 404, 503]),
    "O que se baixa de uma peça para publicar à mão.",
);

impl Page for GetPackage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        ctx.caller()?.authorize(ACCESS)?;
        let event = visibility::require_event(ctx, &self.event_id).await?;
        let files = list_files(ctx, &event).await?;
        if files.is_empty() {
            return Err(Error::not_found("mídia ou legenda neste evento"));
        }
        serve_archive(ctx, &event, &to_stem(&event.title), files).await
    }
}

/// Lists the files of an event: its media in their order, then its texts.
async fn list_files(ctx: &Context<'_>, event: &Event) -> Result<VecDeque<ArchiveFile>> {
    let ids: Vec<MediaId> = event.media.iter().map(|medium| medium.id.clone()).collect();
    let found = store::media::find_visible(&ctx.db(), None, &ids).await?;
    let found: HashMap<_, _> = { found.into_iter() }
        .map(|medium| (medium.id.clone(), medium))
        .collect();
    let stem = to_stem(&event.title);
    let mut files = VecDeque::new();
    let mut alts = vec![];
    for (number, attached) in (1..).zip(&event.media) {
        let medium = found.get(&attached.id);
        let medium = medium.ok_or_else(|| Error::internal("a medium of an event is missing"))?;
        let name = file_name(number, event.media.len(), &stem, &medium.media_type);
        if let Some(alt) = alt_text(attached, medium) {
            alts.push(format!("{name}\n{alt}\n"));
        }
        let content = FileContent::Stored {
            path: storage_path(&medium.sha256),
            length: medium.bytes.unsigned_abs(),
        };
        files.push_back(ArchiveFile { name, content });
    }
    // While the event can be edited, its description may still be the briefing, which is not a
    // caption.
    let is_briefing = event.has_unwritten_caption() && event.status.is_editable();
    let caption = event.description.as_deref().filter(|_| !is_briefing);
    let caption = caption.filter(|caption| !caption.trim().is_empty());
    let caption = caption.map(|caption| (CAPTION, caption.to_owned()));
    let alts = (!alts.is_empty()).then(|| (ALTS, alts.join("\n")));
    files.extend(
        caption
            .into_iter()
            .chain(alts)
            .map(|(name, text)| ArchiveFile {
                name: name.into(),
                content: FileContent::Text(text),
            }),
    );
    Ok(files)
}

/// Returns the alternative text that the event has for a medium or, if it has none, the text stored with
/// the medium.
fn alt_text<'a>(attached: &'a Attached, medium: &'a Media) -> Option<&'a str> {
    attached.alt.as_deref().or(medium.alt.as_deref())
}
