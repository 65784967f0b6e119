//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    DeleteEmailDraft, EMAIL_HTML_TOO_LARGE, GetEmailDraft, ListEmailDrafts, PutEmailDraft,
    ReplaceInEmailDraft, TEXT_NOT_FOUND, TEXT_NOT_UNIQUE,
};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "email_drafts",
    "Rascunhos de e-mail: HTML, metadados e edição sem sobrescrita.",
)
.codes(&[TEXT_NOT_FOUND, TEXT_NOT_UNIQUE, EMAIL_HTML_TOO_LARGE])
.announces_nothing()
.operations(&[
    Entry::for_operation::<ListEmailDrafts>(),
    Entry::for_operation::<GetEmailDraft>(),
    Entry::for_operation::<PutEmailDraft>(),
    Entry::for_operation::<ReplaceInEmailDraft>(),
    Entry::for_operation::<DeleteEmailDraft>(),
]);
