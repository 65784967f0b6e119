//! `multipart/form-data`: fields into the input, the file through a temporary one into the
//! storage. A file is never whole in memory unless it is an image, whose bound is 25 MB.

use std::{
    io::Write,
    path::Path,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, header},
};
use bytes::Bytes;
use futures::Stream;
use gateway::{Code, Error, Input, Registered, Result, coerce};
use multer::{Constraints, Field, Multipart, SizeLimit};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::task::{JoinHandle, spawn_blocking};
use tools::media::{Claim, MediaType, video_size};

use super::request::{merge_key, printable, put, twice, unknown};
use crate::{app::App, providers::pictures};

/// Bytes of a text field.
const TEXT_LIMIT: usize = 16_000;

/// Bytes that may come between the parts: boundaries and headers.
const HEAD_LIMIT: usize = 64_000;

/// Bytes of a whole form: the longest file, each field at its longest, and what separates them.
const FORM_LIMIT: u64 = MediaType::Mp4.limit() + 1_000_000;

/// Reads the form into the operation's input, the file as what it was found to be.
pub(super) async fn merge(
    app: &App,
    operation: &Registered,
    file_field: &str,
    headers: &HeaderMap,
    body: Body,
    stored: &mut Option<Claim>,
) -> Result<Input> {
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    let boundary = content_type.and_then(|text| multer::parse_boundary(text).ok());
    let boundary = boundary.ok_or_else(|| {
        Error::new(Code::UnsupportedMediaType).with(
            "next",
            "Envie `multipart/form-data` com o campo `file`.".into(),
        )
    })?;
    let body = Metered::new(body.into_data_stream());
    let room = body.room.clone();
    let whole = Constraints::new().size_limit(SizeLimit::new().whole_stream(FORM_LIMIT));
    let mut form = Multipart::with_constraints(body, boundary, whole);
    let properties = operation.input_schema.get("properties");
    let mut input = Input::new();
    let mut file = None;
    loop {
        // The reader holds a head until it ends.
        room.store(HEAD_LIMIT, Ordering::Relaxed);
        let Some(field) = form.next_field().await.map_err(incomplete)? else {
            break;
        };
        room.store(usize::MAX, Ordering::Relaxed);
        let name = field.name().unwrap_or_default().to_owned();
        if properties.is_none_or(|known| known.get(&name).is_none()) {
            return Err(unknown(&name));
        }
        if name == file_field {
            if file.is_some() {
                return Err(twice(&name));
            }
            file = Some(Spooled::read(field).await?);
        } else {
            if input.contains_key(&name) {
                return Err(twice(&name));
            }
            let text = text(&name, field).await?;
            put(
                &mut input,
                &name,
                coerce(&operation.input_schema, &name, text),
            )?;
        }
    }
    merge_key(operation, headers, &mut input)?;
    let Some(file) = file else { return Ok(input) };
    let described = file.describe().await?;
    *stored = Some(Claim::file(&app.gateway.services, &file.sha256, file.path()).await?);
    input.insert(file_field.to_owned(), described);
    Ok(input)
}

fn incomplete(error: multer::Error) -> Error {
    if let multer::Error::StreamSizeExceeded { limit } = error {
        return Error::too_large(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Error::invalid(
        "corpo",
        "multipart",
        "não chegou inteiro ou não é multipart/form-data",
    )
}

async fn text(name: &str, mut field: Field<'_>) -> Result<String> {
    let mut bytes = vec![];
    while let Some(chunk) = field.chunk().await.map_err(incomplete)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > TEXT_LIMIT {
            return Err(Error::invalid(
                &printable(name),
                "maxLength",
                "é longo demais",
            ));
        }
    }
    String::from_utf8(bytes)
        .map_err(|_| Error::invalid(&printable(name), "encoding", "deve ser texto em UTF-8"))
}

/// A body that gives one chunk at a time, and breaks off after more bytes than there is room for.
///
/// The reader takes whatever is ready before it looks at any of it.
struct Metered {
    chunks: BodyDataStream,
    /// Bytes that may still come; the chunk that reaches the end of it is let through.
    room: Arc<AtomicUsize>,
    paused: bool,
}

impl Metered {
    fn new(chunks: BodyDataStream) -> Self {
        Self {
            chunks,
            room: Arc::default(),
            paused: false,
        }
    }
}

impl Stream for Metered {
    type Item = Result<Bytes, axum::BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.paused) {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let left = self.room.load(Ordering::Relaxed);
        if left == 0 {
            return Poll::Ready(Some(Err("no part begins".into())));
        }
        let chunk = std::task::ready!(Pin::new(&mut self.chunks).poll_next(task));
        if let Some(Ok(bytes)) = &chunk {
            let left = left.saturating_sub(bytes.len());
            self.room.store(left, Ordering::Relaxed);
            self.paused = true;
        }
        Poll::Ready(chunk.map(|chunk| chunk.map_err(Into::into)))
    }
}

/// Bytes of a file that are gathered before they are written.
const PIECE: usize = 128 << 10;

/// A file being written and hashed a piece at a time: no thread waits for the client, and while a
/// piece is written the next one is gathered.
#[derive(Default)]
struct Spool {
    piece: Vec<u8>,
    writing: Option<JoinHandle<std::io::Result<Written>>>,
}

/// What was written so far.
struct Written {
    file: NamedTempFile,
    digest: Sha256,
}

impl Spool {
    async fn push(&mut self, chunk: &[u8]) -> Result<()> {
        self.piece.extend_from_slice(chunk);
        if self.piece.len() < PIECE {
            return Ok(());
        }
        self.write().await
    }

    /// Hands over what was gathered, once what came before it is written.
    async fn write(&mut self) -> Result<()> {
        let written = match self.writing.take() {
            None => None,
            Some(writing) => Some(settled(writing).await?),
        };
        let piece = std::mem::take(&mut self.piece);
        self.writing = Some(spawn_blocking(move || {
            let mut written = match written {
                Some(written) => written,
                None => Written {
                    file: NamedTempFile::new()?,
                    digest: Sha256::new(),
                },
            };
            written.digest.update(&piece);
            written.file.write_all(&piece)?;
            Ok(written)
        }));
        Ok(())
    }

    async fn finish(mut self) -> Result<Written> {
        self.write().await?;
        match self.writing {
            Some(writing) => settled(writing).await,
            None => Err(Error::internal("nothing was written")),
        }
    }
}

async fn settled(writing: JoinHandle<std::io::Result<Written>>) -> Result<Written> {
    let written = writing.await.map_err(Error::internal)?;
    written.map_err(Error::internal)
}

/// A file on its way: on disk, hashed, and removed with this value.
struct Spooled {
    file: NamedTempFile,
    media_type: MediaType,
    sha256: String,
    bytes: u64,
}

impl Spooled {
    /// Spools the field; refuses by type and size as soon as they are known.
    async fn read(mut field: Field<'_>) -> Result<Self> {
        let mut spool = Spool::default();
        let mut head: Vec<u8> = vec![];
        let mut media_type = None;
        let mut bytes = 0u64;
        while let Some(chunk) = field.chunk().await.map_err(incomplete)? {
            if head.len() < MediaType::HEAD {
                let missing = MediaType::HEAD - head.len();
                head.extend_from_slice(&chunk[..chunk.len().min(missing)]);
            }
            if media_type.is_none() && head.len() >= MediaType::HEAD {
                media_type = Some(judge(&head)?);
            }
            bytes += chunk.len() as u64;
            let limit = media_type.map_or(MediaType::Png.limit(), MediaType::limit);
            if bytes > limit {
                return Err(Error::new(Code::PayloadTooLarge)
                    .because(format!("O arquivo passa de {limit} bytes."))
                    .with("limit", limit.into()));
            }
            spool.push(&chunk).await?;
        }
        if bytes == 0 {
            return Err(Error::invalid("file", "minLength", "está vazio"));
        }
        let media_type = media_type.map_or_else(|| judge(&head), Ok)?;
        let Written { file, digest } = spool.finish().await?;
        let sha256 = digest
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Ok(Self {
            file,
            media_type,
            sha256,
            bytes,
        })
    }

    fn path(&self) -> &Path {
        self.file.path()
    }

    /// What the operation is told of the file. Images are decoded and the boxes of videos
    /// followed to the end, to know that they are whole.
    async fn describe(&self) -> Result<Value> {
        let path = self.path().to_owned();
        let (width, height) = if self.media_type.is_video() {
            let size = spawn_blocking(move || -> std::io::Result<_> {
                Ok(video_size(&mut std::fs::File::open(path)?))
            });
            let size = size.await.map_err(Error::internal)?;
            size.map_err(Error::internal)?.ok_or_else(|| {
                Error::invalid("file", "video", "não é um vídeo inteiro; envie-o de novo")
            })?
        } else {
            pictures::judge(path).await?
        };
        Ok(json!({
            "sha256": self.sha256,
            "media_type": self.media_type.as_str(),
            "bytes": self.bytes,
            "width": width,
            "height": height,
        }))
    }
}

fn judge(head: &[u8]) -> Result<MediaType> {
    MediaType::of(head).ok_or_else(|| {
        Error::new(Code::UnsupportedMediaType)
            .because("O arquivo não é PNG, JPEG, WebP, GIF, MP4 nem QuickTime.")
            .with(
                "next",
                "Converta o arquivo para um destes formatos e envie de novo.".into(),
            )
    })
}
