//! Notifications that are due to be pushed to the devices of their members.

use domain::{MemberId, NotificationId, PushId, time::Millis};

use crate::{Bind, Conn, Result};

/// Lists the members with notifications that are due on their devices; at most `most`.
pub async fn list_members_to_push(db: &Conn<'_>, now: Millis, most: i64) -> Result<Vec<MemberId>> {
    let sql = "SELECT DISTINCT member_id FROM notifications
               WHERE push_due_at <= $1 ORDER BY member_id LIMIT $2";
    let rows = db.fetch_all(sql, [now.into(), most.into()]).await?;
    let ids = rows.iter().map(|row| row.try_get("", "member_id"));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Takes the notifications of a member that are due on their devices off the queue, so that no other
/// caller takes them. Returns their ids.
pub async fn take_to_push(
    db: &Conn<'_>,
    member_id: &MemberId,
    now: Millis,
) -> Result<Vec<NotificationId>> {
    let sql = "UPDATE notifications SET push_due_at = NULL
               WHERE member_id = $1 AND push_due_at <= $2 RETURNING id";
    let rows = db.fetch_all(sql, [member_id.value(), now.into()]).await?;
    let ids = rows.iter().map(|row| row.try_get("", "id"));
    let mut ids: Vec<NotificationId> = ids.collect::<Result<_, _>>()?;
    ids.sort_unstable();
    Ok(ids)
}

/// Puts notifications into the push `push_id`.
pub async fn put_into_push(db: &Conn<'_>, ids: &[NotificationId], push_id: &PushId) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let mut values = vec![push_id.value()];
    values.extend(ids.iter().map(Bind::value));
    let places: Vec<String> = (2..=values.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "UPDATE notifications SET push_id = $1 WHERE id IN ({})",
        places.join(", ")
    );
    db.run(&sql, values).await?;
    Ok(())
}

/// Postpones the notifications of a member that are due on their devices until `until`, except
/// reminders, which are useless later.
pub async fn postpone_pushing(
    db: &Conn<'_>,
    member_id: &MemberId,
    until: Millis,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE notifications SET push_due_at = $2
               WHERE member_id = $1 AND push_due_at <= $3 AND kind <> 'lembrete'";
    db.run(sql, [member_id.value(), until.into(), now.into()])
        .await?;
    Ok(())
}

/// Takes the notifications that were due on devices before an instant off the queue.
pub async fn cancel_pushing_before(db: &Conn<'_>, before: Millis) -> Result<()> {
    let sql = "UPDATE notifications SET push_due_at = NULL WHERE push_due_at < $1";
    db.run(sql, [before.into()]).await?;
    Ok(())
}

/// Finds when the next notification becomes due on devices; `None` if no notification is queued.
pub async fn find_next_push_time(db: &Conn<'_>) -> Result<Option<Millis>> {
    let sql = "SELECT min(push_due_at) AS due_at FROM notifications WHERE push_due_at IS NOT NULL";
    let row = db.fetch_one(sql, []).await?;
    Ok(row
        .map(|row| row.try_get("", "due_at"))
        .transpose()?
        .flatten())
}
