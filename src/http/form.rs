//! Stores the text of a submitted form, so that an error page can show its values again: while the
//! database is unavailable, or after the session has expired.

use std::sync::OnceLock;

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header},
};
use console::Sent;

use crate::intake::{Incoming, Intake};

/// Maximum bytes of a form that can be shown again.
const LONGEST: usize = 1_000_000;
const MOST_FIELDS: usize = 500;
/// Maximum bytes of a form that is read without a valid session.
const LONGEST_WITHOUT_SESSION: usize = 16_000;

const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// The form of one request, set once its body has been read.
#[derive(Default)]
pub(super) struct SentForm(OnceLock<Bytes>);

impl SentForm {
    /// Stores the form text, unless it is too long to show again.
    pub(super) fn store_text(&self, text: &Bytes) {
        if text.len() <= LONGEST {
            let _ = self.0.set(text.clone());
        }
    }

    /// Returns the fields to show again.
    pub(super) fn into_sent(self) -> Sent {
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

/// Reads the form of a request whose session has expired.
pub(super) async fn read_without_session(
    intake: &Intake,
    headers: &HeaderMap,
    body: Body,
) -> SentForm {
    let sent = SentForm::default();
    let media_type = headers.get(header::CONTENT_TYPE);
    if media_type.is_some_and(|media_type| media_type.as_bytes().starts_with(FORM))
        && let Ok(Some(form)) = Incoming::new(headers, body)
            .read_rest(intake, LONGEST_WITHOUT_SESSION)
            .await
    {
        sent.store_text(&form.text);
    }
    sent
}
