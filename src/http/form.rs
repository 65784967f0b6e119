//! The text of a form, kept for the pages that give it back: while the database is away, and when the
//! session of its sender has ended.

use std::sync::OnceLock;

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header},
};
use console::Sent;

use crate::intake::{Incoming, Intake};

/// The longest form that is given back, in bytes, and the number of its fields.
const LONGEST: usize = 1_000_000;
const MOST_FIELDS: usize = 500;
/// The longest form that is read from a browser whose session has ended, in bytes.
const LONGEST_WITHOUT_SESSION: usize = 16_000;

const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// The form of one call, once its body has been read.
#[derive(Default)]
pub(super) struct SentForm(OnceLock<Bytes>);

impl SentForm {
    /// Keeps the text of a form that is short enough to be given back.
    pub(super) fn keep(&self, text: &Bytes) {
        if text.len() <= LONGEST {
            let _ = self.0.set(text.clone());
        }
    }

    /// The fields to give back.
    pub(super) fn fields(self) -> Sent {
        let Some(text) = self.0.into_inner() else {
            return Sent::Unkept;
        };
        let fields = || form_urlencoded::parse(&text);
        if fields().nth(MOST_FIELDS).is_some() {
            return Sent::Unkept;
        }
        Sent::Fields(fields().into_owned().collect())
    }
}

/// Reads a form that was sent with the cookie of a session that cannot be used (any more).
pub(super) async fn read_without_session(
    intake: &Intake,
    headers: &HeaderMap,
    body: Body,
) -> SentForm {
    let sent = SentForm::default();
    let media_type = headers.get(header::CONTENT_TYPE);
    if media_type.is_some_and(|media_type| media_type.as_bytes().starts_with(FORM))
        && let Ok(Some(form)) = Incoming::new(headers, body)
            .finish(intake, LONGEST_WITHOUT_SESSION)
            .await
    {
        sent.keep(&form.text);
    }
    sent
}
