//! The area: what it is called and what it offers.

use super::{
    DeleteEmailDraft, EMAIL_HTML_TOO_LARGE, GetEmailDraft, ListEmailDrafts, PutEmailDraft,
    ReplaceInEmailDraft, TEXT_NOT_FOUND, TEXT_NOT_UNIQUE,
};
use gateway::{Area, Entry};

/// The area of these operations.
pub static AREA: Area = Area::new(
    "email_drafts",
    "Rascunhos de e-mail: HTML, metadados e edição sem sobrescrita.",
)
.codes(&[TEXT_NOT_FOUND, TEXT_NOT_UNIQUE, EMAIL_HTML_TOO_LARGE])
.operations(&[
    Entry::of::<ListEmailDrafts>(),
    Entry::of::<GetEmailDraft>(),
    Entry::of::<PutEmailDraft>(),
    Entry::of::<ReplaceInEmailDraft>(),
    Entry::of::<DeleteEmailDraft>(),
]);
