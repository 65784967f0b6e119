//! Calendars to which a member subscribes with a calendar program.

use serde::{Deserialize, Serialize};

use crate::{EventStatus, MemberId, ProjectId};

/// The statuses that a calendar can be restricted to. Every calendar also contains the archived
/// pieces, so that calendar programs remove them.
pub const FEED_STATUSES: [EventStatus; 7] = [
    EventStatus::Todo,
    EventStatus::InProgress,
    EventStatus::Processing,
    EventStatus::InApproval,
    EventStatus::Approved,
    EventStatus::Refused,
    EventStatus::Published,
];

/// The filter of a calendar. It selects among the pieces that the member of the calendar may see;
/// an absent field matches all pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeedFilter {
    /// Only pieces that the member created or is assigned to.
    pub own: bool,
    /// Only pieces with this status, and archived pieces.
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
