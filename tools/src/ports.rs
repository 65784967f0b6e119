//! What the outside must offer.

use async_trait::async_trait;

use crate::{domain::time::Millis, registry::Result, store::members::Member};

/// The present instant.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> Millis;
}

/// A prepared invitation, not yet kept.
pub struct Invitation {
    /// The one-time link to hand over.
    pub link: String,
    /// What the link's token is kept as.
    pub token_sha256: String,
    pub expires_at: Millis,
}

/// Where people's accounts live: embedded here, or with a hosted issuer.
///
/// It hashes or calls out, so it is never asked while a transaction is open; what is left to write
/// here comes back, and commits with the rest of the operation.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Prepares an account; a hosted issuer writes to the person itself and leaves no invitation.
    async fn invite(&self, member: &Member, now: Millis) -> Result<Option<Invitation>>;

    /// Sets a member's password; the answer is the hash to keep, where accounts are embedded.
    ///
    /// Refused (400) when the password is weak.
    async fn set_password(&self, member: &Member, password: &str) -> Result<Option<String>>;

    /// Closes the account. Idempotent: a retry after a failure completes it.
    async fn close(&self, member: &Member) -> Result<()>;
}
