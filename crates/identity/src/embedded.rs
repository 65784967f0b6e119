//! The embedded identity provider: accounts in this service's own database.

use async_trait::async_trait;

use super::{Passwords, passwords::require_strong};
use domain::{
    random_text, sha256_hex,
    time::{HOUR, Millis},
};
use gateway::Result;
use ports::{IdentityProvider, Invitation, Invited};
use store::members::Member;

/// The time for which an invitation or a password reset can be redeemed.
pub const INVITE_LIFETIME: Millis = 72 * HOUR;

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
    async fn invite(&self, _: &Member, now: Millis) -> Result<Invited> {
        let token = random_text::<32>();
        Ok(Invited::Link(Invitation {
            token_sha256: sha256_hex(token.as_bytes()),
            // The token is in the URL fragment, so that neither server logs nor `Referer` headers
            // contain it.
            link: format!("{}/convite#{token}", self.public_url),
            expires_at: now + INVITE_LIFETIME,
        }))
    }

    async fn set_password(
        &self,
        member: &Member,
        _: Option<&str>,
        password: &str,
    ) -> Result<Option<String>> {
        require_strong(password, member)?;
        self.passwords.hash(password).await.map(Some)
    }

    /// Does nothing, because the account is in our own database, and offboarding closes it there.
    async fn close_account(&self, _: Option<&str>) -> Result<()> {
        Ok(())
    }
}
