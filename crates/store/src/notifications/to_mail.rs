//! Notifications that are due to be sent by e-mail.

use domain::{MailId, MemberId, time::Millis};

use crate::{Bind, Conn, Result};

/// Lists the members with notifications that are due by e-mail. Omits members who were sent an e-mail
/// with notifications after `since`, unless a reminder is due. Returns at most `most`.
pub async fn list_members_to_mail(
    db: &Conn<'_>,
    now: Millis,
    since: Millis,
    most: i64,
) -> Result<Vec<MemberId>> {
    let sql = "SELECT DISTINCT n.member_id FROM notifications n
               WHERE n.mail_due_at <= $1 AND (n.kind = 'lembrete' OR NOT EXISTS (
                   SELECT 1 FROM mails m WHERE m.member_id = n.member_id
                       AND m.kind = 'notificacoes' AND m.created_at > $2))
               ORDER BY n.member_id LIMIT $3";
    let rows = db
        .fetch_all(sql, [now.into(), since.into(), most.into()])
        .await?;
    let ids = rows.iter().map(|row| row.try_get("", "member_id"));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Postpones the notifications of a member that are due by e-mail until `until`, except reminders, which
/// are useless later. Returns whether such reminders are due.
pub async fn postpone_mailing(
    db: &Conn<'_>,
    member_id: &MemberId,
    until: Millis,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE notifications SET mail_due_at = $2
               WHERE member_id = $1 AND mail_due_at <= $3 AND kind <> 'lembrete'";
    db.run(sql, [member_id.value(), until.into(), now.into()])
        .await?;
    let sql = "SELECT 1 FROM notifications WHERE member_id = $1 AND mail_due_at <= $2 LIMIT 1";
    let left = db.fetch_one(sql, [member_id.value(), now.into()]).await?;
    Ok(left.is_some())
}

/// Takes the notifications that were due by e-mail before an instant off the queue for e-mail.
pub async fn cancel_mailing_before(db: &Conn<'_>, before: Millis) -> Result<()> {
    let sql = "UPDATE notifications SET mail_due_at = NULL WHERE mail_due_at < $1";
    db.run(sql, [before.into()]).await?;
    Ok(())
}

/// Puts the notifications of a member that are due by e-mail into the e-mail `mail_id`. Returns their
/// number.
pub async fn put_into_mail(
    db: &Conn<'_>,
    member_id: &MemberId,
    mail_id: &MailId,
    now: Millis,
) -> Result<u64> {
    let sql = "UPDATE notifications SET mail_id = $2, mail_due_at = NULL
               WHERE member_id = $1 AND mail_due_at <= $3";
    Ok(db
        .run(sql, [member_id.value(), mail_id.value(), now.into()])
        .await?)
}
