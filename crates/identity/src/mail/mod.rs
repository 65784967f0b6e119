//! E-mails to members: the queue, and the links that the e-mails contain.
//!
//! A write queues an e-mail in its own transaction ([`queue`]). The job that sends the e-mail creates
//! the text. Without `PAUTA_SMTP_URL` there is no [`MailDelivery`], and nothing is queued.
//!
//! Decided here:
//!
//! - A request for a new password gets the same answer, and writes the same rows, whether the address
//!   belongs to a member or not. The job that sends the e-mail looks the address up.
//! - The link that sets a new password is created when its e-mail is sent, so only its hash is stored.
//!   Each attempt to send creates a new link. The link of an invitation is created with the invitation,
//!   and is stored encrypted until its e-mail has been sent or has failed.
//! - Secrets are in the fragment of a URL, which browsers do not send, and are used only by POST,
//!   because programs that check e-mails open links with GET. The URL to unsubscribe has its secret in
//!   the path, because mail programs call it without a browser. This secret is valid only for
//!   unsubscribing.

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

/// Queues an e-mail in the transaction of the write that causes the e-mail. `secret` is stored encrypted
/// until the e-mail has been sent or has failed. Does nothing if this installation sends no e-mails.
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

/// Decrypts the secret of an e-mail that has neither been sent nor failed.
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
