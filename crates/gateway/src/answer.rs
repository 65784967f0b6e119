//! The answer of a call.

use std::borrow::Cow;

use bytes::Bytes;
use ports::ByteStream;
use sync_wrapper::SyncWrapper;

use super::{Error, Result};

/// Headers of an answer, with names in lower case.
pub type Headers = Vec<(&'static str, Cow<'static, str>)>;

/// An answer, serialised once.
pub struct Answer {
    pub status: u16,
    pub body: Body,
    /// Headers in addition to those of the output form.
    pub headers: Headers,
    /// The answer without the parts that repeat the request, if that is shorter.
    pub short: Option<String>,
    /// True if this is the stored answer of an idempotency key.
    pub replayed: bool,
    /// The ids of the created or changed resources, if the answer contains them.
    pub(crate) affected: Vec<String>,
}

/// The content of an answer.
pub enum Body {
    /// JSON text.
    Json(String),
    Page(Rendered),
}

impl Body {
    /// The JSON text of an operation's answer.
    pub fn json(self) -> Result<String> {
        match self {
            Self::Json(text) => Ok(text),
            Self::Page(_) => Err(Error::internal("a page has no JSON text")),
        }
    }
}

impl Answer {
    pub(crate) fn of(status: u16, body: Body) -> Self {
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

/// A rendered page: its headers, in lower case, and its content.
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
    /// Only one thread reads a page, but an answer must be `Sync`: it is borrowed across an await
    /// while the call is audited.
    Stream(SyncWrapper<ByteStream>),
}
