//! The forms in which routes read input and write answers. The HTTP bindings read and write these
//! forms; operations always see one JSON object.
//!
//! A file is checked by the rule of its field while it arrives, and is spooled to disk.
//! `FileField::receive` turns it into the value of that field. When the call ends, the gateway
//! releases the resource that this value holds, such as an upload's claim on its content.
//!
//! An operation accepts only the form that its spec names, for every caller. A text field with the
//! name of the file field is refused. So no form, tool or JSON body can name a stored file or pass
//! for a signed delivery.

use std::{any::Any, path::Path, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::HeaderMap;
use serde_json::{Map, Value};

use super::{Result, Services};

/// The input as one JSON object, for every input form.
pub type Input = Map<String, Value>;

/// The form of a request body.
#[derive(Debug, Clone, Copy)]
pub enum InputForm {
    Json,
    /// `application/x-www-form-urlencoded`: each field is text, coerced by the schema.
    UrlEncoded,
    /// The body is not read, whatever its media type.
    Ignored,
    /// `application/x-www-form-urlencoded` with field names chosen by the caller. The input has one
    /// field, `fields`: a list of names and texts in the order of the form.
    Fields,
    /// `multipart/form-data` with one file.
    Multipart(FileField),
    /// The whole body is one file.
    File(FileField),
    /// Raw bytes whose signature is checked before they are parsed.
    Signed(CheckSignature),
}

/// Checks the signature of a webhook delivery and parses its input.
///
/// Fails with 401 if the delivery is not authentic.
pub type CheckSignature = for<'a> fn(WebhookDelivery, &'a Services) -> BoxFuture<'a, Result<Input>>;

/// A webhook delivery whose signature is not checked yet.
pub struct WebhookDelivery {
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A form field that is a file.
#[derive(Debug, Clone, Copy)]
pub struct FileField {
    pub name: &'static str,
    /// Detects the file type from the first `HEAD` bytes, or from all bytes if there are fewer.
    ///
    /// Fails with 415 if the operation does not accept the type.
    pub judge: fn(&[u8]) -> Result<FileType>,
    /// The largest size limit of all accepted types, in bytes.
    pub longest: u64,
    /// Converts the received file to the value of its field.
    pub receive: for<'a> fn(ReceivedFile, &'a Services) -> BoxFuture<'a, Result<Received>>,
}

impl FileField {
    /// The number of bytes that `judge` needs.
    pub const HEAD: usize = 1_024;
}

/// A file type that an operation accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileType {
    pub media_type: &'static str,
    /// The size limit, in bytes.
    pub limit: u64,
}

/// A completely received file. It is temporary: dropping this value deletes it. Only a
/// [`crate::FileReceiver`] creates one.
#[non_exhaustive]
pub struct ReceivedFile {
    pub file: Box<dyn AsRef<Path> + Send + Sync>,
    /// The name that the caller gave the file; empty if there is none.
    pub name: String,
    pub file_type: FileType,
    /// The hash, in hexadecimal digits.
    pub sha256: String,
    pub bytes: u64,
}

/// A value that was read from a file.
pub type FileContent = Arc<dyn Any + Send + Sync>;

/// The result of receiving a file.
pub struct Received {
    /// The value of its field in the input.
    pub value: Value,
    /// The value that was read from the file ([`crate::Context::file_content`]). No caller can write it.
    pub content: Option<FileContent>,
    /// A resource that the call holds until it ends.
    pub held: Box<dyn Held>,
}

/// A resource that an input holds. It is released when the call ends, with any outcome.
///
/// ```
/// use async_trait::async_trait;
/// use gateway::{Held, Services};
///
/// /// A file that was received before the call was checked.
/// struct ReceivedFile(std::path::PathBuf);
///
/// #[async_trait]
/// impl Held for ReceivedFile {
///     async fn release(self: Box<Self>, _: &Services) {
///         if let Err(error) = tokio::fs::remove_file(&self.0).await {
///             tracing::warn!(%error, "um arquivo recebido não foi apagado");
///         }
///     }
/// }
///
/// let held: Box<dyn Held> = Box::new(ReceivedFile("/tmp/received".into()));
/// ```
#[async_trait]
pub trait Held: Send + Sync {
    async fn release(self: Box<Self>, services: &Services);
}

/// A file that the service itself has received and stored. Only the gateway creates one, from the
/// file of a multipart form. A page can pass it on to an operation ([`crate::Context::file`]).
#[derive(Clone)]
pub struct StoredFile {
    pub(super) value: Value,
    pub(super) content: Option<FileContent>,
}

impl StoredFile {
    /// Returns a digest of the file. Different files have different digests.
    #[must_use]
    pub fn digest(&self) -> String {
        domain::sha256_hex(self.value.to_string().as_bytes())
    }
}

/// The input of a call, in the form in which it arrived.
///
/// A caller can write only fields. A file comes from a multipart form, and the body of a delivery
/// counts only after its signature is checked. An operation accepts only the form that its spec
/// names, for every caller.
pub enum CallInput {
    Fields(Input),
    /// The text fields of a multipart form and its file.
    Upload {
        fields: Input,
        file: Option<ReceivedFile>,
    },
    /// The text fields of a form and the stored file that the calling page has received.
    Forwarded {
        fields: Input,
        file: StoredFile,
    },
    /// A webhook delivery. Its fields are read after its signature is checked.
    Delivery(WebhookDelivery),
}

impl From<Input> for CallInput {
    fn from(fields: Input) -> Self {
        Self::Fields(fields)
    }
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    Json,
    /// JSON-RPC messages, written by the MCP projection.
    JsonRpc,
    Html,
    Text,
    /// A published document of this media type.
    Document(&'static str),
    /// Bytes of any media type.
    Bytes,
    /// A redirect (303).
    Redirect,
    /// Events as they happen (`text/event-stream`).
    EventStream,
}

impl OutputForm {
    /// Returns the published media type of the answer.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json | Self::JsonRpc => "application/json",
            Self::Html | Self::Redirect => "text/html",
            Self::Text => "text/plain",
            Self::Document(media_type) => media_type,
            Self::Bytes => "application/octet-stream",
            Self::EventStream => "text/event-stream",
        }
    }

    /// Returns the form of the route's error answers.
    #[must_use]
    pub(crate) const fn error_form(self) -> ErrorForm {
        match self {
            Self::Json | Self::Document(_) => ErrorForm::Object,
            Self::JsonRpc => ErrorForm::JsonRpc,
            Self::Html | Self::Redirect | Self::Text | Self::Bytes | Self::EventStream => {
                ErrorForm::Text
            }
        }
    }
}

/// The form of error answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorForm {
    /// The error object.
    Object,
    /// JSON-RPC errors; the error object if the request is not a JSON-RPC message.
    JsonRpc,
    /// The message as plain text.
    Text,
    /// No body: the status is the whole answer.
    Empty,
    /// A page of the web console.
    Console,
    /// The error of an OAuth endpoint (RFC 6749, section 5.2).
    OAuth,
}
