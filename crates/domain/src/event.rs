//! An editorial event.

use serde::{Deserialize, Serialize};

use crate::{EventStatus, Member, time::Millis};

/// An event with its people.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Event {
    pub id: String,
    pub api_revision: i64,
    pub clickup_id: Option<String>,
    pub title: String,
    pub channel: String,
    pub status: EventStatus,
    pub description: Option<String>,
    pub briefing: Option<String>,
    pub due_at: Option<Millis>,
    pub editorial_tag: Option<String>,
    pub created_by: String,
    pub created_by_name: String,
    pub created_at: Millis,
    pub updated_at: Millis,
    /// (id, name), in order.
    pub assignees: Vec<(String, String)>,
    /// By slide.
    pub media: Vec<Attached>,
}

/// A medium attached to an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    pub id: String,
    pub slide_index: i64,
    pub kind: String,
    pub alt: Option<String>,
    pub media_type: String,
}

impl Event {
    /// The sort key of the agenda: undated events come last.
    #[must_use]
    pub fn agenda_at(&self) -> Millis {
        self.due_at.unwrap_or(Millis::MAX)
    }

    /// Whether this member may see it.
    #[must_use]
    pub fn is_visible_to(&self, member: &Member) -> bool {
        member.sees_all_events()
            || self.created_by == member.id
            || self.assignees.iter().any(|(id, _)| *id == member.id)
    }
}
