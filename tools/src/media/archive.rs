//! Archives of files.
//!
//! An archive is written while it is sent, so neither the archive nor a video is ever completely
//! in memory. Its files are not compressed, because images and videos already are. The size and
//! checksum of each file follow its bytes, so every stored file is read once.
//!
//! If a stored file after the first is missing, the connection is cut: the browser then reports a
//! failed download instead of keeping an incomplete archive.

use std::{
    collections::VecDeque,
    io::{self, Write},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use futures::{StreamExt, stream};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ports::{BlobStore, ByteStream};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions, write::StreamWriter};

use domain::{Error, time::LocalDate};
use gateway::{Content, Context, Reply, Result};
use store::events::Event;

/// The name of the file with the caption.
pub(crate) const CAPTION: &str = "legenda.txt";
/// The name of the file with the alternative texts.
pub(crate) const ALTS: &str = "textos alternativos.txt";

/// A file of an archive.
pub(crate) struct ArchiveFile {
    pub name: String,
    pub content: FileContent,
}

/// The content of a file.
pub(crate) enum FileContent {
    Text(String),
    Bytes(Bytes),
    /// A file of the storage, and its length in bytes.
    Stored {
        path: String,
        length: u64,
    },
}

/// Serves an archive of these files of an event, named `stem`.
pub(crate) async fn serve_archive(
    ctx: &Context<'_>,
    event: &Event,
    stem: &str,
    files: VecDeque<ArchiveFile>,
) -> Result<Reply> {
    let mut writing = Writing::begin_archive(event, files, ctx.services.blobs.clone());
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
    let name = utf8_percent_encode(stem, NON_ALPHANUMERIC).to_string();
    let disposition = format!("attachment; filename=\"peca.zip\"; filename*=UTF-8''{name}.zip");
    Ok(Reply::new(Content::Stream(archive.boxed()))
        .with_header("cache-control", "private, no-store")
        .with_header("content-disposition", disposition))
}

/// An archive that is being written.
struct Writing {
    /// `None` when the archive is finished.
    archive: Option<ZipWriter<StreamWriter<Produced>>>,
    produced: Produced,
    options: SimpleFileOptions,
    files: VecDeque<ArchiveFile>,
    /// The stream of the current stored file, and the number of bytes that are not read yet.
    open: Option<(ByteStream, u64)>,
    blobs: Arc<dyn BlobStore>,
}

impl Writing {
    fn begin_archive(
        event: &Event,
        files: VecDeque<ArchiveFile>,
        blobs: Arc<dyn BlobStore>,
    ) -> Self {
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

    /// Returns the next bytes of the archive; `None` at its end.
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
        let (is_large, bytes) = match file.content {
            FileContent::Text(text) => (false, Some(text.into())),
            FileContent::Bytes(bytes) => (false, Some(bytes)),
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
        if let Some(bytes) = bytes {
            self.write_to_archive(&bytes)?;
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

/// Returns the time of the last change of an event, for the files of its archive.
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
