//! Push messages: each message announces notifications on one device. This module stores a message until
//! the push service has accepted it or the message has failed.
//!
//! A row becomes `enviando` in a transaction that commits before the first contact with the push
//! service, and only the attempt that set this state may change the row again. So no message is sent
//! twice: a message that was `enviando` when its process ended becomes `incerto`.

use super::DELETED;
use crate::{Bind, Conn, Result, Row};
use domain::{MemberId, PushDeviceId, PushId, PushMessageId, PushState as State, time::Millis};

/// A message to insert.
#[derive(Debug)]
pub struct NewMessage<'a> {
    pub push_id: &'a PushId,
    pub device_id: &'a PushDeviceId,
}

/// Inserts a message that is due now.
pub async fn insert_message(db: &Conn<'_>, new: &NewMessage<'_>, now: Millis) -> Result<()> {
    let sql = "INSERT INTO push_messages
                   (id, push_id, device_id, created_at, state, attempts, due_at)
               VALUES ($1, $2, $3, $4, 'pendente', 0, $4)";
    let values = [
        PushMessageId::new(now).value(),
        new.push_id.value(),
        new.device_id.value(),
        now.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// A message that is due now.
#[derive(Debug, Clone)]
pub struct Due {
    pub id: PushMessageId,
    pub push_id: PushId,
    pub device_id: PushDeviceId,
    pub member_id: MemberId,
    pub created_at: Millis,
    /// The number of earlier attempts.
    pub attempts: i64,
    pub first_attempt_at: Option<Millis>,
    /// The due time that was read. If the stored time is different, the message was changed after the
    /// read.
    pub due_at: Millis,
}

/// Lists the messages that are due, the oldest first; at most `most`.
pub async fn list_due(db: &Conn<'_>, now: Millis, most: i64) -> Result<Vec<Due>> {
    let sql = "SELECT p.id, p.push_id, p.device_id, d.member_id, p.created_at, p.attempts,
                   p.first_attempt_at, p.due_at
               FROM push_messages p JOIN push_devices d ON d.id = p.device_id
               WHERE p.state = 'pendente' AND p.due_at <= $1 ORDER BY p.due_at, p.id LIMIT $2";
    let rows = db.fetch_all(sql, [now.into(), most.into()]).await?;
    rows.iter().map(read_due).collect()
}

fn read_due(row: &Row) -> Result<Due> {
    Ok(Due {
        id: row.try_get("", "id")?,
        push_id: row.try_get("", "push_id")?,
        device_id: row.try_get("", "device_id")?,
        member_id: row.try_get("", "member_id")?,
        created_at: row.try_get("", "created_at")?,
        attempts: row.try_get("", "attempts")?,
        first_attempt_at: row.try_get("", "first_attempt_at")?,
        due_at: row.try_get("", "due_at")?,
    })
}

/// Finds when the next message becomes due; `None` if no message is pending.
pub async fn find_next_due(db: &Conn<'_>) -> Result<Option<Millis>> {
    let sql = "SELECT min(due_at) AS due_at FROM push_messages WHERE state = 'pendente'";
    let row = db.fetch_one(sql, []).await?;
    Ok(row
        .map(|row| row.try_get("", "due_at"))
        .transpose()?
        .flatten())
}

/// Marks a message as being sent. Returns `false` if the message was changed after the caller read it,
/// if its device was deleted, or if another caller is sending the message.
pub async fn begin_sending(db: &Conn<'_>, message: &Due, now: Millis) -> Result<bool> {
    let sql = "UPDATE push_messages SET state = 'enviando', attempts = attempts + 1,
                   sending_since = $3, first_attempt_at = COALESCE(first_attempt_at, $3)
               WHERE id = $1 AND state = 'pendente' AND attempts = $2 AND due_at = $4";
    let values = [
        message.id.value(),
        message.attempts.into(),
        now.into(),
        message.due_at.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// The outcome of an attempt to send a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The message has this final state and is not sent again.
    Ended(State),
    /// The message is not sent again before this time.
    Waits(Millis),
}

/// Stores the outcome of an attempt that [`begin_sending`] began. Changes nothing if
/// [`end_interrupted_messages`] has ended the message meanwhile, or its device was deleted.
pub async fn record_outcome(
    db: &Conn<'_>,
    message: &Due,
    outcome: Outcome,
    reply: Option<u16>,
    now: Millis,
) -> Result<()> {
    let (state, due_at, ended_at) = match outcome {
        Outcome::Ended(state) => (state, now, Some(now)),
        Outcome::Waits(until) => (State::Pending, until, None),
    };
    let sql = "UPDATE push_messages SET state = $3, due_at = $4, ended_at = $5, reply = $6,
                   sending_since = NULL
               WHERE id = $1 AND state = 'enviando' AND attempts = $2";
    let values = [
        message.id.value(),
        (message.attempts + 1).into(),
        state.as_str().into(),
        due_at.into(),
        ended_at.into(),
        reply.map(i64::from).into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Ends a pending message without sending it, unless the message was changed after the caller read it.
pub async fn end_pending(db: &Conn<'_>, message: &Due, state: State, now: Millis) -> Result<()> {
    let sql = "UPDATE push_messages SET state = $2, ended_at = $3
               WHERE id = $1 AND state = 'pendente' AND due_at = $4";
    let values = [
        message.id.value(),
        state.as_str().into(),
        now.into(),
        message.due_at.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Postpones a pending message until an instant, without counting an attempt.
pub async fn postpone_without_attempt(db: &Conn<'_>, message: &Due, until: Millis) -> Result<()> {
    let sql = "UPDATE push_messages SET due_at = $2
               WHERE id = $1 AND state = 'pendente' AND due_at = $3";
    let values = [message.id.value(), until.into(), message.due_at.into()];
    db.run(sql, values).await?;
    Ok(())
}

/// Ends the pending messages that were created before an instant.
pub async fn expire_pending(db: &Conn<'_>, before: Millis, now: Millis) -> Result<()> {
    let sql = "UPDATE push_messages SET state = 'vencido', ended_at = $2
               WHERE state = 'pendente' AND created_at < $1";
    db.run(sql, [before.into(), now.into()]).await?;
    Ok(())
}

/// Ends the messages that have been in the state `enviando` since before an instant as `incerto`,
/// because their process has ended. Returns the number of these messages.
pub async fn end_interrupted_messages(db: &Conn<'_>, before: Millis, now: Millis) -> Result<u64> {
    let sql = "UPDATE push_messages SET state = 'incerto', ended_at = $2, sending_since = NULL
               WHERE state = 'enviando' AND sending_since < $1";
    Ok(db.run(sql, [before.into(), now.into()]).await?)
}

/// Ends every pending message and every message that is being sent, and takes all notifications off the
/// queue for devices.
pub(crate) async fn end_all(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "UPDATE push_messages SET state = 'incerto', ended_at = $1, sending_since = NULL
               WHERE state IN ('pendente', 'enviando')";
    db.run(sql, [now.into()]).await?;
    let sql = "UPDATE notifications SET push_due_at = NULL WHERE push_due_at IS NOT NULL";
    db.run(sql, []).await?;
    Ok(())
}

/// Deletes messages that were created before an instant; at most 1,000. Returns whether more may remain.
pub async fn delete_before(db: &Conn<'_>, before: Millis) -> Result<bool> {
    let sql = "DELETE FROM push_messages WHERE id IN (
        SELECT o.id FROM push_messages o WHERE o.created_at < $1 ORDER BY o.created_at LIMIT $2)";
    let deleted = db.run(sql, [before.into(), DELETED.into()]).await?;
    Ok(deleted >= DELETED.unsigned_abs())
}
