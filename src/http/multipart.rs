//! `multipart/form-data`: text fields, and one file that is spooled to disk and never held in
//! memory as a whole.

use std::{
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
    CallInput, Code, Error, FileField, FileReceiver, ReceivedFile, Registered, Result, coerce,
    to_printable,
};
use multer::{Constraints, Field, Multipart, SizeLimit};
use ports::BlobStore;

use super::input::{
    duplicate_field_error, insert_field, merge_key, read_path_and_query, unknown_field_error,
};

/// Maximum bytes of a text field.
const TEXT_LIMIT: usize = 16_000;

/// Maximum bytes of boundary and headers between two parts.
const HEAD_LIMIT: usize = 64_000;

/// Maximum bytes of a form without its file: all fields at their maximum length, with their
/// separators.
const BESIDE: u64 = 1_000_000;

/// Reads the input from the path, the query and the text fields of the form, and the file as an
/// incomplete upload.
pub(super) async fn merge_multipart(
    operation: &Registered,
    file_field: FileField,
    params: Result<RawPathParams, RawPathParamsRejection>,
    parts: &Parts,
    body: Body,
    blobs: &Arc<dyn BlobStore>,
) -> Result<CallInput> {
    let headers = &parts.headers;
    let mut fields = read_path_and_query(operation, params, parts)?;
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    let boundary = content_type.and_then(|text| multer::parse_boundary(text).ok());
    let boundary = boundary.ok_or_else(|| {
        Error::new(Code::UNSUPPORTED_MEDIA_TYPE).with_detail(
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
        // The parser buffers the headers of a part until they are complete.
        room.store(HEAD_LIMIT, Ordering::Relaxed);
        let Some(field) = form.next_field().await.map_err(to_form_error)? else {
            break;
        };
        room.store(usize::MAX, Ordering::Relaxed);
        let name = field.name().unwrap_or_default().to_owned();
        if properties.is_none_or(|known| known.get(&name).is_none()) {
            return Err(unknown_field_error(&name));
        }
        if name == file_field.name {
            if file.is_some() {
                return Err(duplicate_field_error(&name));
            }
            file = Some(spool_file(field, file_field, blobs.clone()).await?);
        } else {
            if fields.contains_key(&name) {
                return Err(duplicate_field_error(&name));
            }
            let text = read_text_field(&name, field).await?;
            insert_field(
                &mut fields,
                &name,
                coerce(operation.input_schema(), &name, text),
            )?;
        }
    }
    merge_key(operation, headers, &mut fields)?;
    Ok(CallInput::Upload { fields, file })
}

fn to_form_error(error: multer::Error) -> Error {
    if let multer::Error::StreamSizeExceeded { limit } = error {
        return Error::body_too_large(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Error::invalid_field(
        "corpo",
        "multipart",
        "não chegou inteiro ou não é multipart/form-data",
    )
}

async fn read_text_field(name: &str, mut field: Field<'_>) -> Result<String> {
    let mut bytes = vec![];
    while let Some(chunk) = field.chunk().await.map_err(to_form_error)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > TEXT_LIMIT {
            return Err(Error::invalid_field(
                &to_printable(name),
                "maxLength",
                "é longo demais",
            ));
        }
    }
    String::from_utf8(bytes).map_err(|_| {
        Error::invalid_field(&to_printable(name), "encoding", "deve ser texto em UTF-8")
    })
}

/// Limits what the multipart parser buffers: yields one chunk at a time, and fails after too many
/// bytes.
///
/// The parser would otherwise buffer all available chunks before it parses any of them.
struct Metered {
    chunks: BodyDataStream,
    /// How many more bytes may be read. The chunk that exceeds this is still passed on.
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

/// Spools the file to disk. Fails as soon as its type or size is invalid.
async fn spool_file(
    mut field: Field<'_>,
    rule: FileField,
    blobs: Arc<dyn BlobStore>,
) -> Result<ReceivedFile> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let mut receiver = FileReceiver::new(rule, name, blobs);
    while let Some(chunk) = field.chunk().await.map_err(to_form_error)? {
        receiver.push(&chunk).await?;
    }
    receiver.finish().await
}
