//! Routes whose responses are not JSON: HTML pages, documents, stored files, redirects.
//!
//! Pages are entries of the same table as operations (`Entry::for_page`). Therefore the media link, the
//! documents, the invitation page and the readiness check have the same guard, timeout, metrics and
//! audit as every operation.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use ports::ByteStream;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{Context, Encoding, Result};

/// A route whose response is not JSON.
///
/// Its fields are the input, as in an operation. The gateway runs it like an operation, with the
/// same access check, timeout, metrics and audit. Its `Spec` states the media types of its
/// responses and errors.
///
/// ```
/// use gateway::{
///     Access, Area, Content, Context, Entry, OutputForm, Page, Registry, Reply, Result, Spec, Verb,
/// };
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Greeting {
///     name: String,
/// }
///
/// impl Page for Greeting {
///     async fn run(self, _: &Context<'_>) -> Result<Reply> {
///         Ok(Reply::new(Content::Text(format!("Olá, {}!", self.name).into())).with_etag())
///     }
/// }
///
/// const GREETING: Entry = Entry::for_page::<Greeting>(
///     Spec::new("greeting", "Saudar", Verb::Get, "/saudacao/{name}")
///         .access(Access::Public)
///         .serves(OutputForm::Html),
///     "Saúda pelo nome.",
/// );
/// static AREA: Area = Area::new("greetings", "Saudações.").pages(&[GREETING]);
///
/// let registry = Registry::new([&AREA]);
/// assert_eq!(registry.pages[0].spec.name, "greeting");
/// ```
pub trait Page: DeserializeOwned + JsonSchema + Send + 'static {
    fn run(self, ctx: &Context<'_>) -> impl Future<Output = Result<Reply>> + Send;
}

/// The reply of a page, before the gateway evaluates conditional and range headers (`RequestHead`).
pub struct Reply {
    pub(super) status: u16,
    pub(super) content: Content,
    pub(super) headers: Vec<(&'static str, Cow<'static, str>)>,
    /// The `ETag` of a text. A client that already has this text gets 304.
    pub(super) etag: Option<String>,
}

/// The content of a reply.
pub enum Content {
    /// Text with the media type of the spec.
    Text(Cow<'static, str>),
    /// A document that does not change while the service runs.
    Document(Arc<dyn Document>),
    /// A file in the blob storage. Its SHA-256 is its `ETag`.
    Blob {
        path: String,
        sha256: String,
        length: u64,
        media_type: String,
    },
    /// The URL of a redirect.
    Redirect(String),
    /// Text with the media type of the spec, streamed as it is produced.
    Stream(ByteStream),
}

impl Reply {
    /// Creates a reply with status 200, or 303 for a redirect. Caches must not store the reply,
    /// unless a header allows it.
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
            etag: None,
        }
    }

    /// Sets the status.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Sets the `ETag` of a text to the hash of the text. A client that already has it gets 304.
    #[must_use]
    pub fn with_etag(mut self) -> Self {
        if let Content::Text(text) = &self.content {
            self.etag = Some(format!("\"{}\"", domain::sha256_hex(text.as_bytes())));
        }
        self
    }

    /// Adds a header; its name must be in lower case.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// A published document that can be served compressed.
///
/// ```
/// use bytes::Bytes;
/// use gateway::{Document, Encoding};
///
/// /// A document that is too short to compress.
/// struct Licence {
///     text: &'static str,
///     sha256: String,
/// }
///
/// impl Document for Licence {
///     fn media_type(&self) -> &'static str {
///         "text/plain"
///     }
///
///     fn sha256(&self) -> &str {
///         &self.sha256
///     }
///
///     fn is_ready(&self, _: Encoding) -> bool {
///         true
///     }
///
///     fn encoded_content(&self, _: Encoding) -> Bytes {
///         Bytes::from_static(self.text.as_bytes())
///     }
/// }
///
/// let text = "MIT OR Apache-2.0";
/// let licence = Licence { text, sha256: domain::sha256_hex(text.as_bytes()) };
/// assert!(licence.is_ready(Encoding::Gzip));
/// assert_eq!(licence.encoded_content(Encoding::Gzip), text);
/// ```
pub trait Document: Send + Sync {
    fn media_type(&self) -> &'static str;

    /// Returns the SHA-256 of the document, in hexadecimal.
    fn sha256(&self) -> &str;

    /// True if `encoded_content` returns immediately for this encoding.
    fn is_ready(&self, encoding: Encoding) -> bool;

    /// Returns the content in this encoding. The first call may be slow, because it compresses.
    fn encoded_content(&self, encoding: Encoding) -> Bytes;
}

/// Renders the published documents from the operation table.
pub trait Documents: Send + Sync {
    /// True if `find` returns immediately.
    fn is_ready(&self) -> bool;

    /// Returns the document with this file name; `None` if there is none. The first call may be slow.
    fn find(&self, name: &str) -> Option<Arc<dyn Document>>;
}
