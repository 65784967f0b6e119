//! Inserts the e-mail that the published examples list as undelivered.

use domain::{
    MailId, MailKind, MailState, MemberId,
    time::{HOUR, Millis},
};
use gateway::Result;
use store::{
    Conn,
    mails::{self, NewMail},
};

/// Inserts an invitation whose delivery is unknown, because the mail server did not confirm it.
pub(super) async fn seed_undelivered_mail(
    db: &Conn<'_>,
    id: &MailId,
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    let mail = NewMail {
        id,
        kind: MailKind::Invitation,
        member_id: Some(member_id),
    };
    mails::insert(db, &mail, now - 2 * HOUR).await?;
    Ok(mails::end_pending_mail(db, id, MailState::Unknown, now - HOUR).await?)
}
