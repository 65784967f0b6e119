//! What the outside must offer.

use async_trait::async_trait;

use crate::{
    domain::time::Millis,
    registry::Result,
    store::{Conn, members::Member},
};

/// The present instant.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> Millis;
}

/// Where people's accounts live: embedded here, or with a hosted issuer.
///
/// The embedded provider writes through the transaction it is given; a hosted one calls out, and
/// must not be called while one is open.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Prepares an account; the answer is the one-time link to redeem, where there is one.
    async fn invite(&self, db: &Conn<'_>, member: &Member, now: Millis) -> Result<Option<String>>;

    /// Sets a member's password and ends their sessions.
    async fn set_password(
        &self,
        db: &Conn<'_>,
        member: &Member,
        password: &str,
        now: Millis,
    ) -> Result<()>;

    /// Closes the account. Idempotent: a retry after a failure completes it.
    async fn close(&self, db: &Conn<'_>, member: &Member, now: Millis) -> Result<()>;
}
