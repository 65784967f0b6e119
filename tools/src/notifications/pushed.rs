//! Loads the notifications of a push, as the member may see them when the push is sent.

use super::{due_in_list::DuePosts, notification_view, sentences, still_seen::retain_visible};
use domain::{Member, NotificationId, NotificationKind, PushId};
use gateway::{Result, jobs::JobName};
use store::{
    Conn,
    notifications::{self, Filter},
};

/// The job that sends messages to devices.
pub(crate) const SEND_PUSHES: JobName = JobName("send_pushes");

/// Maximum number of notifications in one push.
const MOST: i64 = 500;

/// A notification in a push.
pub(crate) struct PushedNotification {
    pub id: NotificationId,
    pub kind: NotificationKind,
    /// The piece or other resource of the notification; empty for a summary.
    pub subject: String,
    /// One sentence that describes the notification.
    pub text: String,
    /// The path of the console page about the notification.
    pub path: String,
}

/// Loads the notifications of a push that the member may see, wants on devices and has not read, newest
/// first. Leaves out reminders of posts that are no longer due.
pub(crate) async fn load_pushed(
    db: &Conn<'_>,
    member: &Member,
    push_id: &PushId,
) -> Result<Vec<PushedNotification>> {
    let settings = notifications::find_settings(db, &member.id).await?;
    let choices = &settings.wishes.choices;
    let wanted = |kind: &NotificationKind| kind.concerns(member) && choices.wants_push(*kind);
    let kinds = NotificationKind::ALL.iter().copied().filter(wanted);
    let kinds: Vec<NotificationKind> = kinds.collect();
    if kinds.is_empty() {
        return Ok(vec![]);
    }
    let filter = Filter {
        member_id: &member.id,
        sees_all: member.sees_all_events(),
        only_unread: true,
        only_listed: false,
        kinds: &kinds,
        mail_id: None,
        push_id: Some(push_id),
        after: None,
    };
    let mut rows = notifications::list(db, filter, MOST).await?;
    retain_visible(db, member, &mut rows).await?;
    let due = DuePosts::load(db, &rows).await?;
    rows.retain(|row| due.is_current(row));
    let pushed = rows.into_iter().map(|row| {
        let details = serde_json::from_str(&row.details)?;
        let who = sentences::describe_actor(&row, &member.id);
        Ok(PushedNotification {
            kind: row.kind,
            text: sentences::describe((&row, true), &details, who.as_deref()),
            path: notification_view::console_path(&row),
            subject: row.subject,
            id: row.id,
        })
    });
    pushed.collect()
}
