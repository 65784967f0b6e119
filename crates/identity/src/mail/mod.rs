//! E-mails to members: what causes them, and the links that they carry.
//!
//! A write queues an e-mail in its own transaction ([`queue`]). The job that sends it makes its text.
//! Without `PAUTA_SMTP_URL` there is no [`MailDelivery`], and nothing is queued.
//!
//! Decided here:
//!
//! - Whoever asks for a new password gets the same answer whether the address is of a member or not,
//!   and the same rows are written. The job looks the address up.
//! - The link to set a new password is made when its e-mail is sent, so it is stored nowhere but as a
//!   hash. An attempt that fails makes another one. The link of an invitation is made with the
//!   invitation, and is encrypted until its e-mail has ended.
//! - Secrets are in the fragment of an address, which browsers do not send, and are used only by POST:
//!   programs that check e-mails open their links with GET. The address to unsubscribe has its secret
//!   in the path, because the programs that use it have no browser; it opens nothing else.

pub mod forgotten_password;
pub mod unsubscribing;

use std::sync::Arc;

use domain::{MailId, MailKind, MemberId, time::Millis};
use gateway::{Result, Services, jobs::JobName};
use ports::MailSender;
use store::{
    Conn,
    mails::{self, NewMail, SECRET},
    secrets::{self, Sealed},
};

/// The sender of e-mails.
pub type MailDelivery = Arc<dyn MailSender>;

/// The job that sends e-mails.
pub const SEND_MAILS: JobName = JobName("send_mails");

/// True if this installation sends e-mails.
#[must_use]
pub fn is_configured(services: &Services) -> bool {
    services.parts.find::<MailDelivery>().is_some()
}

/// Queues an e-mail in the transaction of the write that causes it. `secret` is encrypted until the
/// e-mail has ended. Does nothing if this installation sends no e-mails.
pub async fn queue(
    services: &Services,
    db: &Conn<'_>,
    kind: MailKind,
    member_id: Option<&MemberId>,
    secret: Option<&str>,
    now: Millis,
) -> Result<Option<MailId>> {
    if !is_configured(services) {
        return Ok(None);
    }
    let id = MailId::new(now);
    let new = NewMail {
        id: &id,
        kind,
        member_id,
    };
    mails::insert(db, &new, now).await?;
    if let Some(secret) = secret {
        let keys = &services.keys;
        let record = Sealed {
            purpose: SECRET.to_owned(),
            id: id.to_string(),
            kid: keys.active_key_id().to_owned(),
            sealed: keys.seal(SECRET, id.as_str(), secret.as_bytes())?,
        };
        secrets::save_record(db, &record).await?;
    }
    SEND_MAILS
        .enqueue_or_bring_forward(&services.queue, db, now)
        .await?;
    Ok(Some(id))
}

/// The secret of an e-mail that has not ended.
pub async fn open_secret(
    services: &Services,
    db: &Conn<'_>,
    id: &MailId,
) -> Result<Option<String>> {
    let Some(sealed) = secrets::find_sealed(db, SECRET, id.as_str()).await? else {
        return Ok(None);
    };
    let plain = services.keys.open(SECRET, id.as_str(), &sealed)?;
    Ok(String::from_utf8(plain).ok())
}
