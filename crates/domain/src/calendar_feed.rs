//! Calendars that a member subscribes to with a program of their own.

use serde::{Deserialize, Serialize};

use crate::{EventStatus, MemberId, ProjectId};

/// The statuses that a calendar can be restricted to. An archived piece is in every calendar, so that
/// programs remove what they had read before.
pub const FEED_STATUSES: [EventStatus; 7] = [
    EventStatus::Todo,
    EventStatus::InProgress,
    EventStatus::Processing,
    EventStatus::InApproval,
    EventStatus::Approved,
    EventStatus::Refused,
    EventStatus::Published,
];

/// Which pieces a calendar shows, of those that its member may see. An absent field selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeedFilter {
    /// Only pieces that the member created or is assigned to.
    pub own: bool,
    /// Pieces of this status, and archived ones.
    pub status: Option<EventStatus>,
    /// The channel name, compared regardless of case and accents.
    pub channel: Option<String>,
    pub assignee_id: Option<MemberId>,
    /// The tag, compared regardless of case and accents.
    pub tag: Option<String>,
    pub project_id: Option<ProjectId>,
    /// Text contained in the title, caption, tag or the name of an assignee.
    pub text: Option<String>,
}
