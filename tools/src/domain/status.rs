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
    /// Its text, date and media may still change.
    pub const EDITABLE: &[Self] = &[
        Self::Todo,
        Self::InProgress,
        Self::Processing,
        Self::Refused,
    ];

    /// Somebody still has to do something about it.
    pub const OPEN: &[Self] = &[
        Self::Todo,
        Self::InProgress,
        Self::Processing,
        Self::InApproval,
        Self::Approved,
        Self::Refused,
    ];

    #[must_use]
    pub fn is_editable(self) -> bool {
        Self::EDITABLE.contains(&self)
    }
}
