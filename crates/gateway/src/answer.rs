//! The response to a call, independent of the interface.

use std::borrow::Cow;

use bytes::Bytes;
use ports::ByteStream;
use sync_wrapper::SyncWrapper;

use super::{Error, Result};

/// Response headers, with names in lower case.
pub type Headers = Vec<(&'static str, Cow<'static, str>)>;

/// A response to a call. Its body is serialised once.
pub struct Answer {
    pub status: u16,
    pub body: Body,
    /// Response headers in addition to those of the output form.
    pub headers: Headers,
    /// The response without the parts that repeat the request; `None` if that is not shorter.
    pub short: Option<String>,
    /// True if this is the stored response of an idempotency key.
    pub replayed: bool,
    /// The ids of the created or changed resources, if the response contains them.
    pub(crate) affected: Vec<String>,
}

/// The body of a response.
pub enum Body {
    /// JSON text.
    Json(String),
    Page(Rendered),
}

impl Body {
    /// Returns the body of an operation's response as JSON text.
    pub fn into_json_text(self) -> Result<String> {
        match self {
            Self::Json(text) => Ok(text),
            Self::Page(_) => Err(Error::internal("a page has no JSON text")),
        }
    }
}

impl Answer {
    pub(crate) fn new(status: u16, body: Body) -> Self {
        Self {
            status,
            body,
            headers: vec![],
            short: None,
            replayed: false,
            affected: vec![],
        }
    }
}

/// A rendered page: its headers, with names in lower case, and its content.
pub struct Rendered {
    pub headers: Headers,
    pub content: Outgoing,
}

impl Rendered {
    /// True if the content is HTML.
    #[must_use]
    pub fn is_html(&self) -> bool {
        let mut headers = self.headers.iter();
        headers.any(|(name, value)| *name == "content-type" && value.starts_with("text/html"))
    }
}

/// The content of a rendered page.
pub enum Outgoing {
    Whole(Bytes),
    /// An async stream. Only one thread reads it, but a response must be `Sync`, because it is
    /// borrowed across an await while the call is audited.
    Stream(SyncWrapper<ByteStream>),
}
