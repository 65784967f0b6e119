//! The notifications of members.
//!
//! A notification is created from rows of the outbox and stores their positions. [`insert`] and
//! [`merge`] ignore positions that a notification already covers, so processing a row twice changes
//! nothing.

mod list;
mod settings;
mod to_mail;
mod to_push;

pub(crate) use list::select_unread;
pub use list::{Filter, Listed, count_unread, list};
pub use settings::{Settings, Wishes, find_settings, load_wishes, save_settings};
pub use to_mail::{cancel_mailing_before, list_members_to_mail, postpone_mailing, put_into_mail};
pub use to_push::{
    cancel_pushing_before, find_next_push_time, list_members_to_push, postpone_pushing,
    put_into_push, take_to_push,
};

use std::collections::BTreeSet;

use super::{Bind, Conn, Row, columns};
use crate::Result;
use domain::{
    EventId, MemberId, NotificationId, NotificationKind, Revision, TokenId, time::Millis,
};

/// The number of rows deleted per call.
const DELETED: i64 = 1_000;

/// The member, credential and method of authentication of a change.
#[derive(Debug, Clone)]
pub struct Actor {
    pub id: Option<MemberId>,
    pub credential_id: Option<TokenId>,
    pub auth_method: String,
}

/// A notification to insert, or new values for an existing one.
#[derive(Debug)]
pub struct NewNotification {
    pub member_id: MemberId,
    pub kind: NotificationKind,
    /// The kind and the id of the resource; empty for a summary.
    pub subject: String,
    pub event_id: Option<EventId>,
    pub revision: Option<Revision>,
    pub actor: Actor,
    /// The details as JSON.
    pub details: String,
    pub changes: i64,
    pub begun_at: Millis,
    pub occurred_at: Millis,
    pub first_position: i64,
    pub last_position: i64,
    /// False if the member wants this notification only by e-mail or on devices.
    pub is_listed: bool,
    /// When the notification may be sent by e-mail. Only [`insert`] uses this value.
    pub mail_due_at: Option<Millis>,
    /// When the notification may be pushed to the devices of the member.
    pub push_due_at: Option<Millis>,
}

/// A recent notification, with the fields that decide whether a later change is merged into it.
#[derive(Debug)]
pub struct Recent {
    pub id: NotificationId,
    pub member_id: MemberId,
    pub kind: String,
    pub subject: String,
    pub is_unread: bool,
    /// True if the notification was put into an e-mail.
    pub is_mailed: bool,
    pub begun_at: Millis,
    pub last_position: i64,
}

/// Loads the notifications of these members that last changed at `since` or later.
pub async fn load_recent(
    db: &Conn<'_>,
    members: &BTreeSet<&MemberId>,
    since: Millis,
) -> Result<Vec<Recent>> {
    if members.is_empty() {
        return Ok(vec![]);
    }
    let mut values = vec![since.into()];
    values.extend(members.iter().map(|id| id.value()));
    let places: Vec<String> = (2..=values.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT id, member_id, kind, subject, read_at, mail_id, begun_at, last_position
         FROM notifications WHERE member_id IN ({}) AND occurred_at >= $1",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, values).await?;
    rows.iter().map(read_recent).collect()
}

fn read_recent(row: &Row) -> Result<Recent> {
    Ok(Recent {
        id: row.try_get("", "id")?,
        member_id: row.try_get("", "member_id")?,
        kind: row.try_get("", "kind")?,
        subject: row.try_get("", "subject")?,
        is_unread: row.try_get::<Option<i64>>("", "read_at")?.is_none(),
        is_mailed: row.try_get::<Option<String>>("", "mail_id")?.is_some(),
        begun_at: row.try_get("", "begun_at")?,
        last_position: row.try_get("", "last_position")?,
    })
}

const INSERT: &str = "
INSERT INTO notifications (id, member_id, kind, subject, event_id, revision, actor_id,
    credential_id, auth_method, details, changes, begun_at, occurred_at, first_position,
    last_position, mail_due_at, push_due_at, is_listed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
ON CONFLICT (member_id, kind, subject, first_position) DO NOTHING";

/// Inserts a notification, unless a notification was already created from the same row of the outbox.
pub async fn insert(db: &Conn<'_>, new: &NewNotification) -> Result<()> {
    let values = [
        String::from(NotificationId::new(new.occurred_at)).into(),
        new.member_id.value(),
        new.kind.as_str().into(),
        new.subject.as_str().into(),
        new.event_id
            .as_ref()
            .map(|id| id.as_str().to_owned())
            .into(),
        new.revision.map(Revision::get).into(),
        new.actor
            .id
            .as_ref()
            .map(|id| id.as_str().to_owned())
            .into(),
        new.actor.credential_id.clone().map(String::from).into(),
        new.actor.auth_method.as_str().into(),
        new.details.as_str().into(),
        new.changes.into(),
        new.begun_at.into(),
        new.occurred_at.into(),
        new.first_position.into(),
        new.last_position.into(),
        new.mail_due_at.into(),
        new.push_due_at.into(),
        new.is_listed.into(),
    ];
    Ok(db.run_later(INSERT, values).await?)
}

const MERGE: &str = "
UPDATE notifications SET changes = changes + $2, occurred_at = $3, last_position = $4, details = $5,
    actor_id = $6, credential_id = $7, auth_method = $8, revision = $9,
    push_due_at = COALESCE(push_due_at, CAST($11 AS BIGINT)), is_listed = is_listed OR $12
WHERE id = $1 AND last_position < $10";

/// Adds changes to a notification, unless it already covers them. The time of a waiting push stays.
pub async fn merge(db: &Conn<'_>, id: &NotificationId, new: &NewNotification) -> Result<()> {
    let values = [
        id.value(),
        new.changes.into(),
        new.occurred_at.into(),
        new.last_position.into(),
        new.details.as_str().into(),
        new.actor
            .id
            .as_ref()
            .map(|id| id.as_str().to_owned())
            .into(),
        new.actor.credential_id.clone().map(String::from).into(),
        new.actor.auth_method.as_str().into(),
        new.revision.map(Revision::get).into(),
        new.first_position.into(),
        new.push_due_at.into(),
        new.is_listed.into(),
    ];
    Ok(db.run_later(MERGE, values).await?)
}

/// The notifications to mark as read.
#[derive(Debug)]
pub enum Marked<'a> {
    These(&'a [NotificationId]),
    /// All listed notifications whose last change has at most this position of the outbox.
    Until(i64),
}

/// Marks a member's notifications as read. Returns the number of notifications that were unread.
pub async fn mark_read(
    db: &Conn<'_>,
    member_id: &MemberId,
    marked: Marked<'_>,
    now: Millis,
) -> Result<u64> {
    let mut values = vec![now.into(), member_id.value()];
    let condition = match marked {
        Marked::Until(position) => {
            values.push(position.into());
            "last_position <= $3 AND is_listed".to_owned()
        }
        Marked::These([]) => return Ok(0),
        Marked::These(ids) => {
            values.extend(ids.iter().map(Bind::value));
            let places: Vec<String> = (3..=values.len()).map(|n| format!("${n}")).collect();
            format!("id IN ({})", places.join(", "))
        }
    };
    let sql = format!(
        "UPDATE notifications SET read_at = $1
         WHERE member_id = $2 AND read_at IS NULL AND {condition}"
    );
    Ok(db.run(&sql, values).await?)
}

/// Marks the reminders with this subject as read, for all members.
pub async fn end_reminders(db: &Conn<'_>, subject: &str, now: Millis) -> Result<()> {
    let sql = "UPDATE notifications SET read_at = $1
         WHERE kind = 'lembrete' AND subject = $2 AND read_at IS NULL";
    Ok(db.run_later(sql, [now.into(), subject.into()]).await?)
}

/// Marks the reminders with this subject as read, for one member.
pub async fn end_reminders_of_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    subject: &str,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE notifications SET read_at = $1
         WHERE kind = 'lembrete' AND subject = $2 AND read_at IS NULL AND member_id = $3";
    let values = [now.into(), subject.into(), member_id.value()];
    Ok(db.run_later(sql, values).await?)
}

/// The subject and details of unread reminders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadReminder {
    pub event_id: EventId,
    pub subject: String,
    /// The details as JSON.
    pub details: String,
}

columns!(UnreadReminder {
    event_id,
    subject,
    details,
});

/// Lists the distinct subjects and details of the unread reminders of all members; at most `most`.
pub async fn list_unread_reminders(db: &Conn<'_>, most: i64) -> Result<Vec<UnreadReminder>> {
    let sql = "SELECT DISTINCT event_id, subject, details FROM notifications
        WHERE kind = 'lembrete' AND read_at IS NULL AND event_id IS NOT NULL
        ORDER BY subject, details LIMIT $1 + 0";
    let rows = db.fetch_all(sql, [most.into()]).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// Marks the reminders with this subject and these details as read, for all members.
pub async fn end_matching_reminders(db: &Conn<'_>, of: &UnreadReminder, now: Millis) -> Result<()> {
    let sql = "UPDATE notifications SET read_at = $1
         WHERE kind = 'lembrete' AND subject = $2 AND details = $3 AND read_at IS NULL";
    let values = [
        now.into(),
        of.subject.as_str().into(),
        of.details.as_str().into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Deletes notifications that last changed before an instant; at most 1,000. Returns whether more may
/// remain.
pub async fn delete_before(db: &Conn<'_>, before: Millis) -> Result<bool> {
    let sql = "DELETE FROM notifications WHERE id IN (
        SELECT n.id FROM notifications n WHERE n.occurred_at < $1 ORDER BY n.occurred_at LIMIT $2)";
    let deleted = db.run(sql, [before.into(), DELETED.into()]).await?;
    Ok(deleted >= DELETED.unsigned_abs())
}
