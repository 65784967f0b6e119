//! Rate limits on password attempts, and the networks from which an account has signed in.

use super::Limiter;
use domain::{hex, network_prefix};
use gateway::{Context, Result};
use store::{Conn, known_networks, members::Member};

/// Counts a password attempt.
///
/// Fails with 429 after too many failures. If the account has signed in from this network before,
/// only failures from this network count, so that callers from other networks cannot lock the owner
/// out.
pub(super) async fn admit_password_attempt(ctx: &Context<'_>, account: &str) -> Result<()> {
    let services = ctx.services;
    let known = async {
        match network_hmac(ctx, account) {
            Some(hmac) => {
                Ok(known_networks::is_known_network(&services.db.reader(), &hmac, ctx.now).await?)
            }
            None => Ok(false),
        }
    };
    let limiter = Limiter::from_context(ctx);
    let admitted = limiter.admit_password_attempt(account, ctx.origin.address, known);
    admitted.await.inspect_err(|error| {
        if error.status() < 500 {
            ctx.note_refusal("entrada limitada", error.code);
        }
    })
}

/// Removes the failures of the account from this network after a correct password.
pub(super) async fn forget_failures(ctx: &Context<'_>, account: &str) -> Result<()> {
    let limiter = Limiter::from_context(ctx);
    limiter.forget_failures(account, ctx.origin.address).await?;
    Ok(())
}

/// Stores the network from which a member signs in.
pub(super) async fn store_network(ctx: &Context<'_>, db: &Conn<'_>, member: &Member) -> Result<()> {
    match network_hmac(ctx, &member.email) {
        Some(hmac) => Ok(known_networks::insert(db, &member.user_id, &hmac, ctx.now).await?),
        None => Ok(()),
    }
}

/// Updates the last use of the network from which a member renews a session.
pub(super) async fn record_network_use(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    member: &Member,
) -> Result<()> {
    match network_hmac(ctx, &member.email) {
        Some(hmac) => Ok(known_networks::record_use(db, &hmac, ctx.now).await?),
        None => Ok(()),
    }
}

fn network_hmac(ctx: &Context<'_>, account: &str) -> Option<String> {
    let network = network_prefix(ctx.origin.address?);
    Some(hex(&ctx.services.keys.hmac(
        "known networks",
        format!("{network}\n{account}").as_bytes(),
    )))
}
