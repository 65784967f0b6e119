//! `multipart/form-data`: text fields, and one file that is spooled to disk and never held whole in
//! memory.

use std::{
    io::Write,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use axum::{
    body::{Body, BodyDataStream},
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::{header, request::Parts},
};
use bytes::Bytes;
use futures::Stream;
use gateway::{
    CallInput, Code, Error, FileField, ReceivedFile, Registered, Result, coerce, printable,
};
use multer::{Constraints, Field, Multipart, SizeLimit};
use ports::BlobStore;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::task::{JoinHandle, spawn_blocking};

use super::input::{address, merge_key, put, twice, unknown};

/// The limit of a text field, in bytes.
const TEXT_LIMIT: usize = 16_000;

/// The limit of boundaries and headers between two parts, in bytes.
const HEAD_LIMIT: usize = 64_000;

/// The limit of a form without its file: all fields at their maximum length, and their separators.
const BESIDE: u64 = 1_000_000;

/// Reads the address and the form: its text fields, and its file as an incomplete upload.
pub(super) async fn merge(
    operation: &Registered,
    file_field: FileField,
    params: Result<RawPathParams, RawPathParamsRejection>,
    parts: &Parts,
    body: Body,
    blobs: &Arc<dyn BlobStore>,
) -> Result<CallInput> {
    let headers = &parts.headers;
    let mut fields = address(operation, params, parts)?;
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    let boundary = content_type.and_then(|text| multer::parse_boundary(text).ok());
    let boundary = boundary.ok_or_else(|| {
        Error::new(Code::UNSUPPORTED_MEDIA_TYPE).with(
            "next",
            format!(
                "Envie `multipart/form-data` com o campo `{}`.",
                file_field.name
            )
            .into(),
        )
    })?;
    let body = Metered::new(body.into_data_stream());
    let room = body.room.clone();
    let whole =
        Constraints::new().size_limit(SizeLimit::new().whole_stream(file_field.longest + BESIDE));
    let mut form = Multipart::with_constraints(body, boundary, whole);
    let properties = operation.input_schema().get("properties");
    let mut file = None;
    loop {
        // The reader buffers the headers of a part until they end.
        room.store(HEAD_LIMIT, Ordering::Relaxed);
        let Some(field) = form.next_field().await.map_err(incomplete)? else {
            break;
        };
        room.store(usize::MAX, Ordering::Relaxed);
        let name = field.name().unwrap_or_default().to_owned();
        if properties.is_none_or(|known| known.get(&name).is_none()) {
            return Err(unknown(&name));
        }
        if name == file_field.name {
            if file.is_some() {
                return Err(twice(&name));
            }
            file = Some(spool(field, file_field, blobs.clone()).await?);
        } else {
            if fields.contains_key(&name) {
                return Err(twice(&name));
            }
            let text = text(&name, field).await?;
            put(
                &mut fields,
                &name,
                coerce(operation.input_schema(), &name, text),
            )?;
        }
    }
    merge_key(operation, headers, &mut fields)?;
    Ok(CallInput::Upload { fields, file })
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

/// A body that yields one chunk at a time, and fails after more bytes than allowed.
///
/// The reader buffers everything that is ready before it parses any of it.
struct Metered {
    chunks: BodyDataStream,
    /// Bytes that may still come; the chunk that reaches the limit is let through.
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

/// Bytes of a file that are buffered before they are written.
const PIECE: usize = 128 << 10;

/// A file that is written and hashed in pieces. No thread waits for the client. The next piece is
/// buffered while one is written.
struct Spool {
    blobs: Arc<dyn BlobStore>,
    piece: Vec<u8>,
    writing: Option<JoinHandle<Result<Written>>>,
}

/// The part of a file that is already written.
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

    /// Starts writing the buffered piece, after the previous one is written.
    async fn write(&mut self) -> Result<()> {
        let written = match self.writing.take() {
            None => None,
            Some(writing) => Some(settled(writing).await?),
        };
        let piece = std::mem::take(&mut self.piece);
        let blobs = self.blobs.clone();
        self.writing = Some(spawn_blocking(move || {
            let mut written = match written {
                Some(written) => written,
                None => Written {
                    file: blobs.incoming()?,
                    digest: Sha256::new(),
                },
            };
            written.digest.update(&piece);
            written.file.write_all(&piece).map_err(Error::internal)?;
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

async fn settled(writing: JoinHandle<Result<Written>>) -> Result<Written> {
    writing.await.map_err(Error::internal)?
}

/// Spools the file to disk. Refused by type and size as soon as they are known.
async fn spool(
    mut field: Field<'_>,
    rule: FileField,
    blobs: Arc<dyn BlobStore>,
) -> Result<ReceivedFile> {
    let mut spool = Spool {
        blobs,
        piece: vec![],
        writing: None,
    };
    let mut head: Vec<u8> = vec![];
    let mut file_type = None;
    let mut bytes = 0u64;
    while let Some(chunk) = field.chunk().await.map_err(incomplete)? {
        if head.len() < FileField::HEAD {
            let missing = FileField::HEAD - head.len();
            head.extend_from_slice(&chunk[..chunk.len().min(missing)]);
        }
        if file_type.is_none() && head.len() >= FileField::HEAD {
            file_type = Some((rule.judge)(&head)?);
        }
        bytes += chunk.len() as u64;
        let limit = file_type.map_or(rule.longest, |file_type| file_type.limit);
        if bytes > limit {
            return Err(Error::new(Code::PAYLOAD_TOO_LARGE)
                .because(format!("O arquivo passa de {limit} bytes."))
                .with("limit", limit.into()));
        }
        spool.push(&chunk).await?;
    }
    if bytes == 0 {
        return Err(Error::invalid(rule.name, "minLength", "está vazio"));
    }
    let file_type = file_type.map_or_else(|| (rule.judge)(&head), Ok)?;
    let Written { file, digest } = spool.finish().await?;
    Ok(ReceivedFile {
        file: Box::new(file),
        file_type,
        sha256: domain::hex(&digest.finalize()),
        bytes,
    })
}
