//! The rate limit on password attempts, and the networks from which an account has signed in.

use super::LoginLimiter;
use domain::{hex, network};
use gateway::{Context, Result};
use store::{Conn, known_networks, members::Member};

/// Counts a password attempt.
///
/// Refused (429) after too many failures. If the account has signed in from this network before,
/// only failures from this network count, so that nobody elsewhere can lock the owner out.
pub(super) async fn admit(ctx: &Context<'_>, account: &str) -> Result<()> {
    let services = ctx.services;
    let known = async {
        match hmac(ctx, account) {
            Some(hmac) => {
                Ok(known_networks::is_known(&services.db.reader(), &hmac, ctx.now).await?)
            }
            None => Ok(false),
        }
    };
    let logins = services.parts.get::<LoginLimiter>();
    let admitted = logins.admit(account, ctx.origin.address, known, ctx.now);
    admitted.await.inspect_err(|error| {
        if error.status() < 500 {
            ctx.note_refusal("entrada limitada", error.code);
        }
    })
}

/// Removes an attempt with the correct password from the counts.
pub(super) fn succeeded(ctx: &Context<'_>, account: &str) {
    ctx.services
        .parts
        .get::<LoginLimiter>()
        .succeeded(account, ctx.origin.address);
}

/// Stores the network from which a member signs in.
pub(super) async fn keep(ctx: &Context<'_>, db: &Conn<'_>, member: &Member) -> Result<()> {
    match hmac(ctx, &member.email) {
        Some(hmac) => Ok(known_networks::insert(db, &member.user_id, &hmac, ctx.now).await?),
        None => Ok(()),
    }
}

/// Records that a member's session is renewed from this network.
pub(super) async fn seen(ctx: &Context<'_>, db: &Conn<'_>, member: &Member) -> Result<()> {
    match hmac(ctx, &member.email) {
        Some(hmac) => Ok(known_networks::record_use(db, &hmac, ctx.now).await?),
        None => Ok(()),
    }
}

fn hmac(ctx: &Context<'_>, account: &str) -> Option<String> {
    let network = network(ctx.origin.address?);
    Some(hex(&ctx.services.keys.hmac(
        "known networks",
        format!("{network}\n{account}").as_bytes(),
    )))
}
