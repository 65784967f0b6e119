//! E-mails to members, from the write that causes an e-mail until the server has accepted it.
//!
//! A row becomes `enviando` in a transaction that commits before the first contact with the server, and
//! only the attempt that set this state may change the row again. So no e-mail is sent twice: an e-mail
//! that was `enviando` when its process ended becomes `incerto`.

use std::collections::HashMap;

use super::{Bind, Conn, Row};
use crate::Result;
use domain::{Error, MailId, MailKind, MailState as State, MemberId, time::Millis};

/// The `purpose` of the data of e-mails in the table `secrets`; the `id` is that of the e-mail.
pub const SECRET: &str = "mail";

/// The number of rows deleted per call.
const DELETED: i64 = 1_000;

/// An e-mail to insert.
#[derive(Debug)]
pub struct NewMail<'a> {
    pub id: &'a MailId,
    pub kind: MailKind,
    /// The recipient; `None` until the service has looked up the address that a person typed.
    pub member_id: Option<&'a MemberId>,
}

/// Inserts an e-mail that is due now.
pub async fn insert(db: &Conn<'_>, new: &NewMail<'_>, now: Millis) -> Result<()> {
    let sql = "INSERT INTO mails (id, kind, member_id, created_at, state, attempts, due_at)
               VALUES ($1, $2, $3, $4, 'pendente', 0, $4)";
    let values = [
        new.id.value(),
        new.kind.as_str().into(),
        new.member_id.map(|id| id.as_str().to_owned()).into(),
        now.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// An e-mail that is due now.
#[derive(Debug, Clone)]
pub struct Due {
    pub id: MailId,
    pub kind: MailKind,
    pub member_id: Option<MemberId>,
    pub created_at: Millis,
    /// The number of earlier attempts.
    pub attempts: i64,
    pub first_attempt_at: Option<Millis>,
    /// The due time as it was read. If the stored time differs, the e-mail has been changed since.
    pub due_at: Millis,
}

/// Returns the condition for e-mails of a kind that this version can send. A newer version, which was
/// rolled back to this one, may have stored other kinds.
fn known_kinds_condition() -> String {
    let kinds: Vec<String> = MailKind::ALL
        .iter()
        .map(|kind| format!("'{}'", kind.as_str()))
        .collect();
    format!("kind IN ({})", kinds.join(", "))
}

/// Lists the e-mails that are due, links before notifications; at most `most`.
pub async fn list_due(db: &Conn<'_>, now: Millis, most: i64) -> Result<Vec<Due>> {
    let sql = format!(
        "SELECT id, kind, member_id, created_at, attempts, first_attempt_at, due_at FROM mails
         WHERE state = 'pendente' AND due_at <= $1 AND {}
         ORDER BY CASE kind WHEN 'notificacoes' THEN 1 ELSE 0 END, due_at, id LIMIT $2",
        known_kinds_condition()
    );
    let rows = db.fetch_all(&sql, [now.into(), most.into()]).await?;
    rows.iter().map(read_due).collect()
}

fn read_due(row: &Row) -> Result<Due> {
    let kind: String = row.try_get("", "kind")?;
    let member_id: Option<String> = row.try_get("", "member_id")?;
    Ok(Due {
        id: row.try_get("", "id")?,
        kind: kind.parse().map_err(Error::internal)?,
        member_id: member_id.and_then(MemberId::from_stored),
        created_at: row.try_get("", "created_at")?,
        attempts: row.try_get("", "attempts")?,
        first_attempt_at: row.try_get("", "first_attempt_at")?,
        due_at: row.try_get("", "due_at")?,
    })
}

/// Finds when the next e-mail becomes due; `None` if no e-mail is pending.
pub async fn find_next_due(db: &Conn<'_>) -> Result<Option<Millis>> {
    let sql = format!(
        "SELECT min(due_at) AS due_at FROM mails WHERE state = 'pendente' AND {}",
        known_kinds_condition()
    );
    let row = db.fetch_one(&sql, []).await?;
    Ok(row
        .map(|row| row.try_get("", "due_at"))
        .transpose()?
        .flatten())
}

/// Marks an e-mail as being sent. Returns `false` if the e-mail was changed since it was read, or
/// another caller is sending it.
pub async fn begin_sending(db: &Conn<'_>, mail: &Due, to: &MemberId, now: Millis) -> Result<bool> {
    let sql = "UPDATE mails SET state = 'enviando', attempts = attempts + 1, sending_since = $3,
                   first_attempt_at = COALESCE(first_attempt_at, $3), member_id = $4
               WHERE id = $1 AND state = 'pendente' AND attempts = $2 AND due_at = $5";
    let values = [
        mail.id.value(),
        mail.attempts.into(),
        now.into(),
        to.value(),
        mail.due_at.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// The outcome of an attempt to send an e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The e-mail has this final state and is not sent again.
    Ended(State),
    /// The e-mail is not sent again before this time.
    Waits(Millis),
}

/// Stores the outcome of an attempt that [`begin_sending`] began. Changes nothing if
/// [`end_interrupted_mails`] has ended the e-mail meanwhile.
pub async fn record_outcome(
    db: &Conn<'_>,
    mail: &Due,
    outcome: Outcome,
    reply: Option<u16>,
    now: Millis,
) -> Result<()> {
    let (state, due_at, ended_at) = match outcome {
        Outcome::Ended(state) => (state, now, Some(now)),
        Outcome::Waits(until) => (State::Pending, until, None),
    };
    let sql = "UPDATE mails SET state = $3, due_at = $4, ended_at = $5, reply = $6,
                   sending_since = NULL
               WHERE id = $1 AND state = 'enviando' AND attempts = $2";
    let values = [
        mail.id.value(),
        (mail.attempts + 1).into(),
        state.as_str().into(),
        due_at.into(),
        ended_at.into(),
        reply.map(i64::from).into(),
    ];
    if db.run(sql, values).await? == 1 && ended_at.is_some() {
        delete_secret(db, &mail.id).await?;
    }
    Ok(())
}

/// Ends a pending e-mail without sending it, unless it was changed since it was read.
pub async fn end_pending(db: &Conn<'_>, mail: &Due, state: State, now: Millis) -> Result<()> {
    let sql = "UPDATE mails SET state = $2, ended_at = $3
               WHERE id = $1 AND state = 'pendente' AND due_at = $4";
    let values = [
        mail.id.value(),
        state.as_str().into(),
        now.into(),
        mail.due_at.into(),
    ];
    if db.run(sql, values).await? == 1 {
        delete_secret(db, &mail.id).await?;
    }
    Ok(())
}

/// Ends a pending e-mail, for example data and tests. Jobs use [`end_pending`] for the e-mails that they
/// have read.
pub async fn end_pending_mail(db: &Conn<'_>, id: &MailId, state: State, now: Millis) -> Result<()> {
    let sql = "UPDATE mails SET state = $2, ended_at = $3 WHERE id = $1 AND state = 'pendente'";
    db.run(sql, [id.value(), state.as_str().into(), now.into()])
        .await?;
    Ok(())
}

/// Postpones a pending e-mail until an instant, without counting an attempt.
pub async fn postpone_without_attempt(db: &Conn<'_>, mail: &Due, until: Millis) -> Result<()> {
    let sql = "UPDATE mails SET due_at = $2
               WHERE id = $1 AND state = 'pendente' AND due_at = $3";
    db.run(sql, [mail.id.value(), until.into(), mail.due_at.into()])
        .await?;
    Ok(())
}

/// Postpones an e-mail that could not be composed until an instant, and counts an attempt.
pub async fn postpone_with_attempt(
    db: &Conn<'_>,
    mail: &Due,
    until: Millis,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE mails SET due_at = $2, attempts = attempts + 1,
                   first_attempt_at = COALESCE(first_attempt_at, $3)
               WHERE id = $1 AND state = 'pendente' AND attempts = $4";
    let values = [
        mail.id.value(),
        until.into(),
        now.into(),
        mail.attempts.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Ends the pending e-mails that were created before an instant.
pub async fn expire_pending(db: &Conn<'_>, before: Millis, now: Millis) -> Result<()> {
    let sql = "UPDATE mails SET state = 'vencido', ended_at = $2
               WHERE state = 'pendente' AND created_at < $1 RETURNING id";
    let rows = db.fetch_all(sql, [before.into(), now.into()]).await?;
    for row in &rows {
        delete_secret(db, &row.try_get("", "id")?).await?;
    }
    Ok(())
}

/// Finds the pending e-mail with notifications of this member. Changes its due time by 1 ms, so that a
/// caller that has read the e-mail before does not send it without the new notifications.
pub async fn claim_extendable_mail(db: &Conn<'_>, member_id: &MemberId) -> Result<Option<MailId>> {
    let sql = "UPDATE mails SET due_at = due_at + 1
               WHERE state = 'pendente' AND id = (
                   SELECT m.id FROM mails m WHERE m.member_id = $1 AND m.kind = 'notificacoes'
                       AND m.state = 'pendente' ORDER BY m.id LIMIT 1)
               RETURNING id";
    let row = db.fetch_one(sql, [member_id.value()]).await?;
    Ok(row.map(|row| row.try_get("", "id")).transpose()?)
}

/// True if an e-mail for a forgotten password was sent to this member for a later request than that of
/// `mail`.
pub async fn has_newer_reset(db: &Conn<'_>, mail: &Due, member_id: &MemberId) -> Result<bool> {
    let sql = "SELECT 1 FROM mails WHERE member_id = $1 AND kind = 'senha_esquecida'
                   AND created_at > $2 AND attempts > 0 LIMIT 1";
    let values = [member_id.value(), mail.created_at.into()];
    Ok(db.fetch_one(sql, values).await?.is_some())
}

async fn delete_secret(db: &Conn<'_>, id: &MailId) -> Result<()> {
    super::secrets::delete(db, SECRET, id.as_str()).await
}

/// Ends the e-mails that have been in the state `enviando` since before an instant as `incerto`, because
/// their process has ended. Returns the number of these e-mails.
pub async fn end_interrupted_mails(db: &Conn<'_>, before: Millis, now: Millis) -> Result<usize> {
    let sql = "UPDATE mails SET state = 'incerto', ended_at = $2, sending_since = NULL
               WHERE state = 'enviando' AND sending_since < $1 RETURNING id";
    let rows = db.fetch_all(sql, [before.into(), now.into()]).await?;
    for row in &rows {
        delete_secret(db, &row.try_get("", "id")?).await?;
    }
    Ok(rows.len())
}

/// Ends every pending e-mail and every e-mail that is being sent, and takes all notifications off the
/// queue for e-mail.
pub(crate) async fn end_all(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "UPDATE mails SET state = 'incerto', ended_at = $1, sending_since = NULL
               WHERE state IN ('pendente', 'enviando') RETURNING id";
    let rows = db.fetch_all(sql, [now.into()]).await?;
    for row in &rows {
        delete_secret(db, &row.try_get("", "id")?).await?;
    }
    db.run(
        "UPDATE notifications SET mail_due_at = NULL WHERE mail_due_at IS NOT NULL",
        [],
    )
    .await?;
    Ok(())
}

/// Finds when the last e-mail to each of these members was returned. Members to whom a later e-mail was
/// accepted are missing.
pub async fn find_bounces(
    db: &Conn<'_>,
    members: &[&MemberId],
) -> Result<HashMap<MemberId, Millis>> {
    if members.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=members.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT member_id, max(ended_at) AS at FROM mails b
         WHERE b.state = 'devolvido' AND b.member_id IN ({}) AND NOT EXISTS (
             SELECT 1 FROM mails s WHERE s.member_id = b.member_id AND s.state = 'enviado'
                 AND s.ended_at > b.ended_at)
         GROUP BY member_id",
        places.join(", ")
    );
    let values: Vec<_> = members.iter().map(|id| id.value()).collect();
    let rows = db.fetch_all(&sql, values).await?;
    let bounces = rows
        .iter()
        .map(|row| Ok((row.try_get("", "member_id")?, row.try_get("", "at")?)));
    bounces.collect()
}

/// An e-mail that was not delivered, or whose delivery is uncertain.
#[derive(Debug)]
pub struct Undelivered {
    pub id: MailId,
    pub kind: MailKind,
    /// The recipient and their name; `None` if no member has the address that was typed.
    pub member: Option<(MemberId, String)>,
    pub state: State,
    pub created_at: Millis,
    pub ended_at: Millis,
    /// The last reply code of the server; 0 if the e-mail could not be composed.
    pub reply: Option<i64>,
}

/// Lists the e-mails that ended without being accepted, the newest first; at most `most`.
pub async fn list_undelivered(db: &Conn<'_>, most: i64) -> Result<Vec<Undelivered>> {
    let sql = format!(
        "SELECT u.id, u.kind, u.member_id, m.name, u.state, u.created_at, u.ended_at, u.reply
         FROM mails u LEFT JOIN members m ON m.id = u.member_id
         WHERE u.state IN ('devolvido', 'recusado', 'vencido', 'incerto')
             AND u.ended_at IS NOT NULL AND u.{}
         ORDER BY u.created_at DESC, u.id DESC LIMIT $1",
        known_kinds_condition()
    );
    let rows = db.fetch_all(&sql, [most.into()]).await?;
    let undelivered = rows.iter().map(|row| {
        let text = |name: &str| row.try_get::<String>("", name);
        let member_id: Option<String> = row.try_get("", "member_id")?;
        let name: Option<String> = row.try_get("", "name")?;
        Ok(Undelivered {
            id: row.try_get("", "id")?,
            kind: text("kind")?.parse().map_err(Error::internal)?,
            member: member_id.and_then(MemberId::from_stored).zip(name),
            state: text("state")?.parse().map_err(Error::internal)?,
            created_at: row.try_get("", "created_at")?,
            ended_at: row.try_get("", "ended_at")?,
            reply: row.try_get("", "reply")?,
        })
    });
    undelivered.collect()
}

/// Deletes e-mails that were created before an instant; at most 1,000. Returns whether more may remain.
pub async fn delete_before(db: &Conn<'_>, before: Millis) -> Result<bool> {
    let old = "SELECT o.id FROM mails o WHERE o.created_at < $1 ORDER BY o.created_at LIMIT $2";
    let secrets = format!("DELETE FROM secrets WHERE purpose = '{SECRET}' AND id IN ({old})");
    db.run(&secrets, [before.into(), DELETED.into()]).await?;
    let mails = format!("DELETE FROM mails WHERE id IN ({old})");
    let deleted = db.run(&mails, [before.into(), DELETED.into()]).await?;
    Ok(deleted >= DELETED.unsigned_abs())
}
