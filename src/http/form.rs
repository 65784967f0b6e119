//! Keeps the text of a form, so that a page can return it to its sender: while the database is
//! away, or after the session has ended.

use std::sync::OnceLock;

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header},
};
use console::Sent;

use crate::intake::{Incoming, Intake};

/// The limits of a form that is returned: bytes and fields.
const LONGEST: usize = 1_000_000;
const MOST_FIELDS: usize = 500;
/// The longest form that is read without a valid session, in bytes.
const LONGEST_WITHOUT_SESSION: usize = 16_000;

const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// The form of one call, set once its body has been read.
#[derive(Default)]
pub(super) struct SentForm(OnceLock<Bytes>);

impl SentForm {
    /// Keeps the text of a form that is short enough to be returned.
    pub(super) fn keep(&self, text: &Bytes) {
        if text.len() <= LONGEST {
            let _ = self.0.set(text.clone());
        }
    }

    /// The fields to return.
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

/// Reads a form whose session cookie is no longer valid.
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
