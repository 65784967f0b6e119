//! Routes that do not answer in JSON: pages, documents, stored bytes, redirects.
//!
//! Pages are entries of the same table as operations (`Entry::page`). The media link, the
//! documents, the invitation page and readiness have the guard, timeout, metrics and audit of every
//! operation.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use ports::ByteStream;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{Context, Encoding, Result};

/// A route that does not answer in JSON.
///
/// Its fields are the input, as in an operation. The gateway runs it like an operation, with the
/// same access check, timeout, metrics and audit. Its `Spec` states the forms of its answers and
/// errors.
pub trait Page: DeserializeOwned + JsonSchema + Send + 'static {
    fn run(self, ctx: &Context<'_>) -> impl Future<Output = Result<Reply>> + Send;
}

/// The answer of a page, before the gateway applies the client's conditions (`RequestHead`).
pub struct Reply {
    pub(super) status: u16,
    pub(super) content: Content,
    pub(super) headers: Vec<(&'static str, Cow<'static, str>)>,
}

/// The content of a reply.
pub enum Content {
    /// Text in the media type of the spec.
    Text(Cow<'static, str>),
    /// A document that never changes while the service runs.
    Document(Arc<dyn Document>),
    /// A file in blob storage. Its SHA-256 is its entity tag.
    Blob {
        path: String,
        sha256: String,
        length: u64,
        media_type: String,
    },
    /// The address of a redirect.
    Redirect(String),
    /// Text in the media type of the spec, sent as it is produced.
    Stream(ByteStream),
}

impl Reply {
    /// A reply with status 200, or 303 for a redirect. Caches must not store it.
    #[must_use]
    pub fn new(content: Content) -> Self {
        let status = if matches!(content, Content::Redirect(_)) {
            303
        } else {
            200
        };
        Self {
            status,
            content,
            headers: vec![],
        }
    }

    /// Sets another status.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Adds a header; its name must be in lower case.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// A published document, which can be compressed.
pub trait Document: Send + Sync {
    fn media_type(&self) -> &'static str;

    /// The hash, in hexadecimal digits.
    fn sha256(&self) -> &str;

    /// True if `encoded` returns immediately.
    fn is_ready(&self, encoding: Encoding) -> bool;

    /// The bytes in this encoding. The first call may be slow.
    fn encoded(&self, encoding: Encoding) -> Bytes;
}

/// Renders the published documents from the table.
pub trait Documents: Send + Sync {
    /// True if `find` returns immediately.
    fn is_ready(&self) -> bool;

    /// The document with this file name; `None` if this build does not have it. The first call may
    /// be slow.
    fn find(&self, name: &str) -> Option<Arc<dyn Document>>;
}
