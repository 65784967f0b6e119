//! The embedded identity provider: accounts in our own database.

use async_trait::async_trait;

use super::{Passwords, passwords::require_strong};
use crate::{
    domain::{
        random_text, sha256_hex,
        time::{HOUR, Millis},
    },
    ports::IdentityProvider,
    registry::Result,
    store::{Conn, accounts, members::Member},
};

/// How long an invitation or a reset can be redeemed.
const INVITE_LIFETIME: Millis = 72 * HOUR;

/// Accounts with Argon2id passwords and one-time invitations.
pub struct EmbeddedIdentity {
    passwords: Passwords,
    public_url: String,
}

impl EmbeddedIdentity {
    #[must_use]
    pub fn new(passwords: Passwords, public_url: String) -> Self {
        Self {
            passwords,
            public_url,
        }
    }
}

#[async_trait]
impl IdentityProvider for EmbeddedIdentity {
    async fn invite(&self, db: &Conn<'_>, member: &Member, now: Millis) -> Result<Option<String>> {
        let token = random_text::<32>();
        accounts::open(db, &member.user_id, now).await?;
        let expires_at = now + INVITE_LIFETIME;
        accounts::issue_invite(
            db,
            &member.user_id,
            &sha256_hex(token.as_bytes()),
            now,
            expires_at,
        )
        .await?;
        // In the fragment, so that it reaches neither a server's log nor a Referer header.
        Ok(Some(format!("{}/convite#{token}", self.public_url)))
    }

    async fn set_password(
        &self,
        db: &Conn<'_>,
        member: &Member,
        password: &str,
        now: Millis,
    ) -> Result<()> {
        require_strong(password, member)?;
        let hash = self.passwords.hash(password).await?;
        accounts::open(db, &member.user_id, now).await?;
        accounts::set_password(db, &member.user_id, Some(&hash), now).await?;
        accounts::end_sessions(db, &member.user_id, now).await
    }

    async fn close(&self, db: &Conn<'_>, member: &Member, now: Millis) -> Result<()> {
        accounts::set_password(db, &member.user_id, None, now).await?;
        accounts::end_sessions(db, &member.user_id, now).await
    }
}
