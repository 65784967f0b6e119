//! The states of an editorial event.

use super::text_enum;

text_enum! {
    /// Where an event stands in the editorial workflow.
    pub enum EventStatus {
        /// Made by a demand, not begun.
        Todo = "a fazer",
        InProgress = "em progresso",
        /// Media are being generated for it.
        Processing = "processing",
        InApproval = "em aprovação",
        Approved = "aprovado",
        Refused = "recusado",
        Published = "publicado",
        Archived = "arquivado",
    }
}

impl EventStatus {
    /// Whether its text, date and media may still change.
    #[must_use]
    pub const fn is_editable(self) -> bool {
        matches!(
            self,
            Self::Todo | Self::InProgress | Self::Processing | Self::Refused
        )
    }
}
