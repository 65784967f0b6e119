//! Downloads the media and texts of an event in one archive, for people who publish by hand.
//!
//! The archive is written while it is sent, so neither the archive nor a video is ever completely
//! in memory. Its files are not compressed, because images and videos already are. The size and
//! checksum of each file follow its bytes, so every stored file is read once.
//!
//! The name of a medium begins with its number, so all names are different; the names of the text
//! files have no number. If a stored file after the first is missing, the connection is cut: the
//! browser then reports a failed download instead of keeping an incomplete archive.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, Write},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use futures::{StreamExt, stream};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ports::{BlobStore, ByteStream};
use schemars::JsonSchema;
use serde::Deserialize;
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions, write::StreamWriter};

use super::package_names::{file_name, to_stem};
use crate::visibility::{self, EVENT};
use domain::{Attached, Capability, Error, EventId, MediaId, time::LocalDate};
use gateway::{Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use store::{
    events::Event,
    media::{Media, storage_path},
};

/// A caller who may read an event may also download it.
const ACCESS: Access = Access::Member(Capability::TasksView);
const TITLE: &str = "Baixar tudo de uma peça";
const ZIP: OutputForm = OutputForm::Document("application/zip");
const CAPTION: &str = "legenda.txt";
const ALTS: &str = "textos alternativos.txt";

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
        let mut writing = Writing::begin_archive(&event, files, ctx.services.blobs.clone());
        // Opens the first file before the response begins, so that an unavailable storage causes an
        // error response instead of a broken download.
        if !writing.open_next_file().await? {
            let absent = || Error::internal("falta um arquivo guardado");
            let empty = gateway::empty_storage_error(ctx.services).await?;
            return Err(empty.unwrap_or_else(absent));
        }
        let archive = stream::try_unfold(writing, |mut writing| async move {
            let bytes = writing.next_bytes().await?;
            Ok(bytes.map(|bytes| (bytes, writing)))
        });
        let name = utf8_percent_encode(&to_stem(&event.title), NON_ALPHANUMERIC).to_string();
        let disposition = format!("attachment; filename=\"peca.zip\"; filename*=UTF-8''{name}.zip");
        Ok(Reply::new(Content::Stream(archive.boxed()))
            .with_header("cache-control", "private, no-store")
            .with_header("content-disposition", disposition))
    }
}

/// A file of the archive.
struct File {
    name: String,
    content: FileContent,
}

enum FileContent {
    Text(String),
    Stored { path: String, length: u64 },
}

/// The files of an event: its media in their order, then its texts.
async fn list_files(ctx: &Context<'_>, event: &Event) -> Result<VecDeque<File>> {
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
        files.push_back(File { name, content });
    }
    // While the event can be edited, its description may still be the briefing, which is not a
    // caption.
    let is_briefing = event.has_unwritten_caption() && event.status.is_editable();
    let caption = event.description.as_deref().filter(|_| !is_briefing);
    let caption = caption.filter(|caption| !caption.trim().is_empty());
    let caption = caption.map(|caption| (CAPTION, caption.to_owned()));
    let alts = (!alts.is_empty()).then(|| (ALTS, alts.join("\n")));
    files.extend(caption.into_iter().chain(alts).map(|(name, text)| File {
        name: name.into(),
        content: FileContent::Text(text),
    }));
    Ok(files)
}

/// The alternative text that the event has for a medium or, if it has none, the text stored with
/// the medium.
fn alt_text<'a>(attached: &'a Attached, medium: &'a Media) -> Option<&'a str> {
    attached.alt.as_deref().or(medium.alt.as_deref())
}

/// An archive that is being written.
struct Writing {
    /// `None` when the archive is finished.
    archive: Option<ZipWriter<StreamWriter<Produced>>>,
    produced: Produced,
    options: SimpleFileOptions,
    files: VecDeque<File>,
    /// The stream of the current stored file, and the number of bytes that it has left.
    open: Option<(ByteStream, u64)>,
    blobs: Arc<dyn BlobStore>,
}

impl Writing {
    fn begin_archive(event: &Event, files: VecDeque<File>, blobs: Arc<dyn BlobStore>) -> Self {
        let produced = Produced::default();
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(modified_at(event))
            .unix_permissions(0o644);
        Self {
            archive: Some(ZipWriter::new_stream(produced.clone())),
            produced,
            options,
            files,
            open: None,
            blobs,
        }
    }

    /// The next bytes of the archive; `None` at its end.
    async fn next_bytes(&mut self) -> Result<Option<Bytes>> {
        loop {
            let bytes = self.produced.take_bytes();
            if !bytes.is_empty() {
                return Ok(Some(bytes.into()));
            }
            if let Some((stream, left)) = &mut self.open {
                let Some(chunk) = stream.next().await.transpose()? else {
                    if *left > 0 {
                        return Err(Error::internal("a stored file is too short"));
                    }
                    self.open = None;
                    continue;
                };
                *left = left.saturating_sub(chunk.len() as u64);
                self.write_to_archive(&chunk)?;
            } else if !self.files.is_empty() {
                if !self.open_next_file().await? {
                    return Err(Error::internal("falta um arquivo guardado"));
                }
            } else if let Some(archive) = self.archive.take() {
                archive.finish().map_err(Error::internal)?;
            } else {
                return Ok(None);
            }
        }
    }

    /// Begins the next file, if there is one. Returns false if the storage does not have it.
    async fn open_next_file(&mut self) -> Result<bool> {
        let Some(file) = self.files.pop_front() else {
            return Ok(true);
        };
        let (is_large, text) = match file.content {
            FileContent::Text(text) => (false, Some(text)),
            FileContent::Stored { path, length } => {
                let Some(stream) = self.blobs.read_range(&path, 0..length).await? else {
                    return Ok(false);
                };
                self.open = Some((stream, length));
                (length >= u64::from(u32::MAX), None)
            }
        };
        let options = self.options.large_file(is_large);
        if let Some(archive) = &mut self.archive {
            archive
                .start_file(file.name, options)
                .map_err(Error::internal)?;
        }
        if let Some(text) = text {
            self.write_to_archive(text.as_bytes())?;
        }
        Ok(true)
    }

    fn write_to_archive(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.archive {
            Some(archive) => archive.write_all(bytes).map_err(Error::internal),
            None => Ok(()),
        }
    }
}

/// The time of the last change of an event, for the files of its archive.
fn modified_at(event: &Event) -> DateTime {
    let date = LocalDate::from_instant(event.updated_at);
    let (hour, minute) = date.hour.split_once(':').unwrap_or_default();
    let number = |text: &str| text.parse().unwrap_or_default();
    let at = DateTime::from_date_and_time(
        date.year.unsigned_abs(),
        date.month.unsigned_abs(),
        date.day.unsigned_abs(),
        number(hour),
        number(minute),
        0,
    );
    at.unwrap_or_default()
}

/// The bytes that the archive writer has written and that are not sent yet.
#[derive(Clone, Default)]
struct Produced(Arc<Mutex<Vec<u8>>>);

impl Produced {
    fn take_bytes(&self) -> Vec<u8> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Produced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut produced = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        produced.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
