//! The secret URLs with which a member ends the e-mails of one kind of notification, or of all kinds,
//! without a session (RFC 8058).
//!
//! A URL contains the id of the member, the kind, and a keyed hash of both. It is not stored, and is
//! valid as long as the master secret does not change.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use subtle::ConstantTimeEq;

use domain::{MemberId, NotificationKind};
use gateway::{Code, Context, Error, Keys, Outcome, Result, Services};
use store::{audit, members, notifications};

use crate::Limiter;

const PURPOSE: &str = "unsubscribing from e-mails";
/// The kind in a URL that ends all e-mails with notifications.
const ALL: &str = "todas";
/// The maximum number of wrong URLs from one network in the window of the limiter.
const MOST_WRONG: i64 = 60;
/// The maximum number of attempts to change the settings if other writes change them at the same time.
const ATTEMPTS: usize = 5;

/// The notifications that are no longer sent by e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Kind(NotificationKind),
    All,
}

impl Ended {
    /// Returns the kind as it is written in a URL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.as_str(),
            Self::All => ALL,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            ALL => Some(Self::All),
            kind => kind.parse().ok().map(Self::Kind),
        }
    }
}

/// Returns the URL with which the member ends the e-mails for the notifications in `ended`.
#[must_use]
pub fn unsubscribe_url(services: &Services, member_id: &MemberId, ended: Ended) -> String {
    format!(
        "{}/avisos/cancelar/{member_id}/{}/{}",
        services.public_url,
        ended.as_str(),
        secret(&services.keys, member_id.as_str(), ended.as_str())
    )
}

fn secret(keys: &Keys, member_id: &str, ended: &str) -> String {
    let text = format!("{member_id}\n{ended}");
    URL_SAFE_NO_PAD.encode(keys.hmac(PURPOSE, text.as_bytes()))
}

/// A URL whose secret has been verified.
#[derive(Debug)]
pub struct Address {
    member_id: MemberId,
    ended: Ended,
}

/// Verifies the secret of a URL.
///
/// Fails with 404 if the secret is wrong, and with 429 and the seconds to wait after too many wrong
/// secrets from this network.
pub async fn check(ctx: &Context<'_>, member_id: &str, kind: &str, given: &str) -> Result<Address> {
    let expected = secret(&ctx.services.keys, member_id, kind);
    let is_right = bool::from(expected.as_bytes().ct_eq(given.as_bytes()));
    if let (true, Some(ended)) = (is_right, Ended::parse(kind)) {
        return Ok(Address {
            member_id: member_id.into(),
            ended,
        });
    }
    ctx.note_refusal("endereço de avisos recusado", Code::NOT_FOUND);
    let limiter = Limiter::from_context(ctx);
    let admitted = limiter.admit_request("unsubscribing", MOST_WRONG, ctx.origin.address);
    admitted.await?;
    Err(Error::new(Code::NOT_FOUND)
        .because("Este endereço não vale. Abra o link inteiro do e-mail."))
}

impl Address {
    /// Returns the notifications whose e-mails the URL ends.
    #[must_use]
    pub fn ended(&self) -> Ended {
        self.ended
    }

    /// Ends the e-mails. Changes nothing if they have been ended before, or if the member does not
    /// exist.
    pub async fn unsubscribe(&self, ctx: &Context<'_>) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let tx = ctx.begin().await?;
            let db = tx.conn();
            let Some(member) = members::find(&db, &self.member_id).await? else {
                return Ok(());
            };
            let settings = notifications::find_settings(&db, &member.id).await?;
            let mut wishes = settings.wishes.clone();
            for kind in NotificationKind::ALL.iter().copied() {
                if matches!(self.ended, Ended::All) || self.ended == Ended::Kind(kind) {
                    wishes.choices.set_email(kind, false);
                }
            }
            if wishes == settings.wishes {
                return Ok(());
            }
            if !notifications::save_settings(&db, &member.id, settings.revision, &wishes).await? {
                continue;
            }
            let mut row = gateway::actorless_row("unsubscribe", ctx.origin, ctx.now);
            row = row.with_actor(&member);
            row.auth_method = "anonymous";
            row.metadata
                .insert("tipo".into(), self.ended.as_str().into());
            audit::insert(&db, row.with_outcome(Outcome::Succeeded, 200)).await?;
            return Ok(tx.commit().await?);
        }
        Err(Error::new(Code::UNAVAILABLE))
    }
}
