//! Invitations that go by e-mail.

use domain::{MailKind, time::DAY, time::Millis};
use gateway::{Result, Services};
use identity::mail;
use ports::{Invitation, Invited};
use store::{Conn, members::Member};

/// How long an invitation that goes by e-mail can be redeemed.
const LIFETIME: Millis = 7 * DAY;

const SENT: &str = "O convite vai por e-mail à pessoa e vale 7 dias.";
const NOT_SENT: &str = "Esta Pauta não envia e-mails: mande você o link à pessoa.";

/// Who gets the link of an invitation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// The admin, in the answer.
    Answer,
    Email,
}

impl Delivery {
    /// The delivery of this invitation, and a warning if it is not the wanted one. Without a link, the
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

    /// The invitation as it is stored: one that goes by e-mail is valid for longer.
    pub fn extend(self, invited: Invited, now: Millis) -> Invited {
        match (self, invited) {
            (Self::Email, Invited::Link(invitation)) => Invited::Link(Invitation {
                expires_at: now + LIFETIME,
                ..invitation
            }),
            (_, invited) => invited,
        }
    }

    /// Queues the e-mail, if the invitation goes by e-mail. The member must be stored.
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
