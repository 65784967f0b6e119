//! What a call answers.

use std::borrow::Cow;

use bytes::Bytes;
use ports::ByteStream;
use sync_wrapper::SyncWrapper;

use super::{Error, Result};

/// An answer, serialised once.
pub struct Answer {
    pub status: u16,
    pub body: Body,
    /// The answer without what the request brought, where that is shorter.
    pub short: Option<String>,
    /// Whether it was given before, to the same key.
    pub replayed: bool,
    /// The id of what the effect made or changed, where the answer tells it.
    pub(crate) affected: Option<String>,
}

/// What an answer says.
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
            short: None,
            replayed: false,
            affected: None,
        }
    }
}

/// A page as it goes out: its headers, in lower case, and its content.
pub struct Rendered {
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    pub content: Outgoing,
}

/// The content of a rendered page.
pub enum Outgoing {
    Whole(Bytes),
    /// Answers are shared between threads while a call is audited; the stream is read by one.
    Stream(SyncWrapper<ByteStream>),
}
