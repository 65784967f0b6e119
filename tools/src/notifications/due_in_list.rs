//! Finds the reminders in a list whose posts are still due.

use std::collections::BTreeSet;

use domain::{EventId, NotificationKind};
use gateway::Result;
use store::{
    Conn,
    notifications::Listed,
    post_reminders::{self, UnpostedVariant},
};

use crate::due_posts::RemindedPost;

/// The posts of the reminders in a list that still wait to be published by hand.
pub(super) struct DuePosts(Vec<UnpostedVariant>);

impl DuePosts {
    /// Loads the posts with one query, or without a query if the list has no reminders.
    pub async fn load(db: &Conn<'_>, listed: &[Listed]) -> Result<Self> {
        let reminders = listed
            .iter()
            .filter(|one| one.kind == NotificationKind::Reminder);
        let events: BTreeSet<&EventId> =
            reminders.filter_map(|one| one.event_id.as_ref()).collect();
        Ok(Self(
            post_reminders::find_unposted_of_pieces(db, &events).await?,
        ))
    }

    /// Returns false for the reminder of a post that is no longer due: the post was published, moved,
    /// changed or removed. Returns true for all other notifications.
    pub fn is_current(&self, listed: &Listed) -> bool {
        if listed.kind != NotificationKind::Reminder {
            return true;
        }
        let event_id = listed.event_id.as_ref();
        let post = event_id.and_then(|id| RemindedPost::read(id, &listed.details));
        post.is_none_or(|post| post.is_among(&self.0))
    }
}
