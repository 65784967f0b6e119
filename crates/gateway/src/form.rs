//! In which form a route takes its input and gives its answer. The bindings of a projection read
//! and write these forms; operations see one JSON object either way.

use std::path::Path;

use async_trait::async_trait;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::HeaderMap;
use serde_json::{Map, Value};

use super::{Result, Services};

/// The input as one JSON object, however it came.
pub type Input = Map<String, Value>;

/// The form of a request body.
#[derive(Debug, Clone, Copy)]
pub enum InputForm {
    Json,
    /// `application/x-www-form-urlencoded`: each field is text, coerced by the schema.
    UrlEncoded,
    /// `multipart/form-data` with one file.
    Multipart(FileField),
    /// Bytes that count as they came: their signature is checked before they are read.
    Signed(CheckSignature),
}

/// Checks the signature of a delivery and reads the input out of it.
///
/// Refused (401) when the delivery is not authentic.
pub type CheckSignature = for<'a> fn(Delivery, &'a Services) -> BoxFuture<'a, Result<Input>>;

/// A body whose signature is still to be checked.
pub struct Delivery {
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The field of a form that is a file.
#[derive(Debug, Clone, Copy)]
pub struct FileField {
    pub name: &'static str,
    /// The type of the file, judged from its first `HEAD` bytes, or from all when there are fewer.
    ///
    /// Refused (415) when the operation does not take it.
    pub judge: fn(&[u8]) -> Result<FileType>,
    /// Bytes of the longest file of any type.
    pub longest: u64,
    /// Turns the received file into the value of its field.
    pub receive: for<'a> fn(ReceivedFile, &'a Services) -> BoxFuture<'a, Result<Received>>,
}

impl FileField {
    /// Bytes that `judge` wants to see.
    pub const HEAD: usize = 32;
}

/// A type of file that an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileType {
    pub media_type: &'static str,
    /// Bytes that such a file may have.
    pub limit: u64,
}

/// A file that has come whole. It is temporary: it goes when this value does.
pub struct ReceivedFile {
    pub file: Box<dyn AsRef<Path> + Send + Sync>,
    pub file_type: FileType,
    /// In hexadecimal digits.
    pub sha256: String,
    pub bytes: u64,
}

/// What became of a received file.
pub struct Received {
    /// The value of its field in the input.
    pub value: Value,
    /// What the call holds until it has ended.
    pub held: Box<dyn Held>,
}

/// Something that an input holds; it is released when the call has ended, whatever its outcome.
#[async_trait]
pub trait Held: Send {
    async fn release(self: Box<Self>, services: &Services);
}

/// What a binding has read of a request.
#[derive(Default)]
pub struct Merged {
    pub fields: Input,
    pub file: Option<ReceivedFile>,
}

impl From<Input> for Merged {
    fn from(fields: Input) -> Self {
        Self { fields, file: None }
    }
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    Json,
    /// JSON-RPC messages, written by their own projection.
    JsonRpc,
    Html,
    Text,
    /// A published document of this media type.
    Document(&'static str),
    /// Bytes of any media type.
    Bytes,
    /// Another address (303).
    Redirect,
}

impl OutputForm {
    /// The media type of the answer, as it is published.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json | Self::JsonRpc => "application/json",
            Self::Html | Self::Redirect => "text/html",
            Self::Text => "text/plain",
            Self::Document(media_type) => media_type,
            Self::Bytes => "application/octet-stream",
        }
    }

    /// How its refusals are written.
    #[must_use]
    pub const fn error_form(self) -> ErrorForm {
        match self {
            Self::Json | Self::Document(_) => ErrorForm::Object,
            Self::JsonRpc => ErrorForm::JsonRpc,
            Self::Html | Self::Redirect | Self::Text | Self::Bytes => ErrorForm::Text,
        }
    }
}

/// How a route writes its refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorForm {
    /// The error object.
    Object,
    /// JSON-RPC errors beside the error object.
    JsonRpc,
    /// The message as plain text.
    Text,
}
