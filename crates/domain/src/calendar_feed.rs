//! Calendars that a member subscribes to with a program of their own.

use serde::{Deserialize, Serialize};

use crate::{EventStatus, MemberId, ProjectId};

/// Which pieces a calendar shows, of those that its member may see. An absent field selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeedFilter {
    /// Only pieces that the member created or is assigned to.
    pub own: bool,
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
