//! Routes whose answer is not JSON: pages, documents, stored bytes, redirects.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{Context, Encoding, Result};

/// A route that answers with something else than JSON.
///
/// Its fields are the input, as in an operation. It runs through the gateway like one, with the same
/// guard, timeout, metrics and audit; its `Spec` says in which form it answers and refuses.
pub trait Page: DeserializeOwned + JsonSchema + Send + 'static {
    fn run(self, ctx: &Context<'_>) -> impl Future<Output = Result<Reply>> + Send;
}

/// What a page answers. The gateway applies the client's conditions (`Asked`) to it.
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
    /// A file of the blob storage. Its SHA-256 is its entity tag.
    Blob {
        path: String,
        sha256: String,
        length: u64,
        media_type: String,
    },
    /// Where to go instead.
    Redirect(String),
}

impl Reply {
    /// A reply with status 200, or 303 for a redirect, which caches must not keep.
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

    /// With another status.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// With a further header; its name is in lower case.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// A published document, which can be packed for its way.
pub trait Document: Send + Sync {
    fn media_type(&self) -> &'static str;

    /// In hexadecimal digits.
    fn sha256(&self) -> &str;

    /// Whether `encoded` answers at once.
    fn is_ready(&self, encoding: Encoding) -> bool;

    /// The bytes in this encoding. The first call may take long.
    fn encoded(&self, encoding: Encoding) -> Bytes;
}

/// Renders the published documents from the table.
pub trait Documents: Send + Sync {
    /// Whether `find` answers at once.
    fn is_ready(&self) -> bool;

    /// The document of this file name; `None` when this build lacks it. The first call may take long.
    fn find(&self, name: &str) -> Option<Arc<dyn Document>>;
}
