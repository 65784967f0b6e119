//! Collaborative drafts of e-mail layouts.

mod delete_email_draft;
mod draft_view;
mod get_email_draft;
mod list_email_drafts;
mod put_email_draft;
mod replace_in_email_draft;

pub use delete_email_draft::DeleteEmailDraft;
pub use get_email_draft::GetEmailDraft;
pub use list_email_drafts::ListEmailDrafts;
pub use put_email_draft::PutEmailDraft;
pub use replace_in_email_draft::ReplaceInEmailDraft;

use gateway::Area;

/// The area of these operations.
pub const AREA: Area = Area::new(
    "email_drafts",
    "Rascunhos de e-mail: HTML, metadados e edição sem sobrescrita.",
);
