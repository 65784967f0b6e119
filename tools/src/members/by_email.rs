//! Sends invitations by e-mail.

use domain::{MailKind, time::DAY, time::Millis};
use gateway::{Result, Services};
use identity::mail;
use ports::{Invitation, Invited};
use store::{Conn, members::Member};

/// How long an invitation that is sent by e-mail can be redeemed.
const LIFETIME: Millis = 7 * DAY;

const SENT: &str = "O convite vai por e-mail à pessoa e vale 7 dias.";
const NOT_SENT: &str = "Esta Pauta não envia e-mails: mande você o link à pessoa.";

/// How the link of an invitation reaches the invited person.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// The response to the admin contains the link.
    Answer,
    /// An e-mail to the invited person contains the link.
    Email,
}

impl Delivery {
    /// Chooses the delivery of this invitation. If the caller wants an e-mail, also returns a message
    /// that says whether the e-mail is sent. An invitation without a link needs no delivery, because the
    /// hosted issuer writes to the person.
    pub fn choose(
        services: &Services,
        invited: Option<&Invited>,
        by_email: bool,
    ) -> (Self, Option<&'static str>) {
        let has_link = matches!(invited, Some(Invited::Link(_)));
        match (by_email && has_link, mail::is_configured(services)) {
            (false, _) => (Self::Answer, None),
            (true, true) => (Self::Email, Some(SENT)),
            (true, false) => (Self::Answer, Some(NOT_SENT)),
        }
    }

    /// Extends the validity of an invitation that is sent by e-mail.
    pub fn extend_validity(self, invited: Invited, now: Millis) -> Invited {
        match (self, invited) {
            (Self::Email, Invited::Link(invitation)) => Invited::Link(Invitation {
                expires_at: now + LIFETIME,
                ..invitation
            }),
            (_, invited) => invited,
        }
    }

    /// Queues the e-mail, if the invitation is sent by e-mail. The caller must have stored the member.
    pub async fn queue(
        self,
        services: &Services,
        db: &Conn<'_>,
        member: &Member,
        invited: &Invited,
        now: Millis,
    ) -> Result<()> {
        if let (Self::Email, Invited::Link(invitation)) = (self, invited) {
            let (kind, to) = (MailKind::Invitation, Some(&member.id));
            mail::queue(services, db, kind, to, Some(&invitation.link), now).await?;
        }
        Ok(())
    }
}
