//! Which reminders of a list are about posts that are still due.

use std::collections::BTreeSet;

use domain::{EventId, NotificationKind};
use gateway::Result;
use store::{
    Conn,
    notifications::Listed,
    post_reminders::{self, UnpostedVariant},
};

use crate::due_posts::RemindedPost;

/// The posts that wait now, of those that reminders in a list are about.
pub(super) struct DuePosts(Vec<UnpostedVariant>);

impl DuePosts {
    /// Reads them with one query, or none if the list has no reminders.
    pub async fn load(db: &Conn<'_>, listed: &[Listed]) -> Result<Self> {
        let reminders = listed
            .iter()
            .filter(|one| one.kind == NotificationKind::Reminder);
        let events: BTreeSet<&EventId> =
            reminders.filter_map(|one| one.event_id.as_ref()).collect();
        Ok(Self(post_reminders::find_unposted_of(db, &events).await?))
    }

    /// False for the reminder of a post that is not due any more: it was posted, moved, changed or taken
    /// away.
    pub fn is_current(&self, listed: &Listed) -> bool {
        if listed.kind != NotificationKind::Reminder {
            return true;
        }
        let event_id = listed.event_id.as_ref();
        let post = event_id.and_then(|id| RemindedPost::read(id, &listed.details));
        post.is_none_or(|post| post.is_among(&self.0))
    }
}
