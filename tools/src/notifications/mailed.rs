//! Loads the notifications of an e-mail, as the member may see them when the e-mail is sent.

use super::{due_in_list::DuePosts, notification_view, sentences, still_seen::retain_visible};
use domain::{MailId, Member, NotificationKind};
use gateway::{Result, Services};
use store::{
    Conn,
    notifications::{self, Filter},
};

/// Maximum number of notifications in one e-mail.
const MOST: i64 = 500;

/// A notification in an e-mail.
pub(crate) struct MailedNotification {
    pub kind: NotificationKind,
    /// One sentence that describes the notification.
    pub text: String,
    pub link: String,
}

/// Loads the notifications of an e-mail that the member may see, wants by e-mail and has not read,
/// newest first. Leaves out reminders of posts that are no longer due.
pub(crate) async fn load_mailed(
    services: &Services,
    db: &Conn<'_>,
    member: &Member,
    mail_id: &MailId,
) -> Result<Vec<MailedNotification>> {
    let settings = notifications::find_settings(db, &member.id).await?;
    let choices = &settings.wishes.choices;
    let wanted = |kind: &NotificationKind| kind.concerns(member) && choices.wants_email(*kind);
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
        mail_id: Some(mail_id),
        push_id: None,
        after: None,
    };
    let mut rows = notifications::list(db, filter, MOST).await?;
    retain_visible(db, member, &mut rows).await?;
    let due = DuePosts::load(db, &rows).await?;
    rows.retain(|row| due.is_current(row));
    let mailed = rows.into_iter().map(|row| {
        let details = serde_json::from_str(&row.details)?;
        let who = sentences::describe_actor(&row, &member.id);
        Ok(MailedNotification {
            kind: row.kind,
            text: sentences::describe((&row, true), &details, who.as_deref()),
            link: format!(
                "{}{}",
                services.public_url,
                notification_view::console_path(&row)
            ),
        })
    });
    mailed.collect()
}
