//! Postponed reminders of posts that a person publishes by hand.

use super::{Bind, Conn, Row, columns, post_reminders::UnpostedVariant};
use crate::Result;
use domain::{EventId, Format, MemberId, time::Millis};

/// A reminder that a member has postponed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snooze {
    pub member_id: MemberId,
    pub event_id: EventId,
    pub channel: String,
    pub format: Format,
    /// The hour of the post when the member postponed the reminder.
    pub due_at: Millis,
}

columns!(Snooze {
    member_id,
    event_id,
    channel,
    format,
    due_at,
});

impl Snooze {
    /// True if the reminder is about this post and the hour of the post has not changed.
    #[must_use]
    pub fn matches_post(&self, post: &UnpostedVariant) -> bool {
        (&self.event_id, &self.channel, self.format, self.due_at)
            == (&post.event_id, &post.channel, post.format, post.due_at)
    }
}

/// Postpones a reminder until `remind_at`. Replaces an earlier postponement of the same member and post.
pub async fn save(db: &Conn<'_>, snooze: &Snooze, remind_at: Millis) -> Result<()> {
    let sql = "INSERT INTO post_snoozes (member_id, event_id, channel, format, due_at, remind_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (member_id, event_id, channel, format)
        DO UPDATE SET due_at = excluded.due_at, remind_at = excluded.remind_at";
    let values = [
        snooze.member_id.value(),
        snooze.event_id.value(),
        snooze.channel.as_str().into(),
        snooze.format.as_str().into(),
        snooze.due_at.into(),
        remind_at.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Deletes the postponed reminders of all members for a post at this hour.
pub async fn delete_snoozes(
    db: &Conn<'_>,
    event_id: &EventId,
    (channel, format): (&str, &str),
    due_at: Millis,
) -> Result<()> {
    let sql = "DELETE FROM post_snoozes
        WHERE event_id = $1 AND channel = $2 AND format = $3 AND due_at = $4";
    let values = [
        event_id.value(),
        channel.into(),
        format.into(),
        due_at.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Deletes and returns the postponed reminders that are due, so that no other caller takes them; at most
/// `most`, the earliest first.
pub async fn take_due(db: &Conn<'_>, now: Millis, most: i64) -> Result<Vec<Snooze>> {
    // The condition is repeated: on PostgreSQL it is checked again after waiting for a writer.
    let sql = "DELETE FROM post_snoozes
        WHERE (member_id, event_id, channel, format) IN (
            SELECT s.member_id, s.event_id, s.channel, s.format FROM post_snoozes s
            WHERE s.remind_at <= $1 ORDER BY s.remind_at, s.member_id, s.event_id LIMIT $2)
          AND remind_at <= $1
        RETURNING member_id, event_id, channel, format, due_at";
    let rows = db.fetch_all(sql, [now.into(), most.into()]).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// True if a postponed reminder is due.
pub async fn any_is_due(db: &Conn<'_>, now: Millis) -> Result<bool> {
    let sql = "SELECT 1 FROM post_snoozes WHERE remind_at <= $1 LIMIT 1";
    Ok(db.fetch_one(sql, [now.into()]).await?.is_some())
}
