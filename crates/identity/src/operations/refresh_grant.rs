//! Renewal of a session: each refresh token can be exchanged once.
//!
//! The successor of a refresh token is an HMAC of it, so no plain token is stored. A used token
//! that is presented again within its grace period of 10 seconds, at any instance, gets the current
//! successor: a session never has two valid refresh tokens. A used token without a derived
//! successor was exchanged by an earlier version, and is refused.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{note, session_tokens::SessionTokens};
use crate::networks;
use domain::{
    sha256_hex,
    time::{Millis, SECOND},
};
use gateway::{Attempt, Code, Context, Error, Known, Outcome, Result, Spec, attempted};
use store::{
    Conn,
    accounts::{self, Refresh},
    members::{self, Member},
};

/// How long a used token is still exchanged, for clients that lost the answer or sent two requests.
const GRACE: Millis = 10 * SECOND;
/// Maximum number of renewals of a session within the grace period of one token.
const MOST_IN_GRACE: usize = 16;

/// Renews a session.
///
/// Refused (401) for a token that is unknown, expired or of an ended session. A token used longer
/// ago than the grace period was stolen or copied, so its whole family ends.
pub(super) async fn run(ctx: &Context<'_>, spec: &Spec, token: &str) -> Result<SessionTokens> {
    let digest = sha256_hex(token.as_bytes());
    // A reader checks the token first, so that unauthenticated requests do not occupy the writer.
    require(ctx, &ctx.db(), spec, &digest).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let (refresh, member) = require(ctx, &db, spec, &digest).await?;
    let family = &refresh.family_id;
    let first = accounts::mark_refresh_used(&db, &digest, ctx.now).await?;
    // The token is used now but was unused when it was read: a simultaneous exchange has just used
    // it.
    let spent_at = refresh.used_at.unwrap_or(ctx.now);
    if !first && spent_at + GRACE < ctx.now {
        accounts::revoke_family(&db, family, ctx.now).await?;
        let reuse = "token_refresh_reuse";
        note(ctx, &db, reuse, Some(&member), Outcome::Denied).await?;
        tx.commit().await?;
        return Err(refused());
    }
    let successor = if first {
        let successor = next(ctx, token);
        SessionTokens::keep_refresh(ctx, &db, &successor, family).await?;
        successor
    } else {
        successor(ctx, &db, token).await?
    };
    let tokens = SessionTokens::sign(ctx, &member, family, successor)?;
    networks::seen(ctx, &db, &member).await?;
    tx.commit().await?;
    Ok(tokens)
}

/// The token with its member, if both are in force. Audits the refusal of a known token.
async fn require(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    spec: &Spec,
    digest: &str,
) -> Result<(Refresh, Member)> {
    let refresh = accounts::find_refresh(db, digest).await?;
    let refresh = refresh.ok_or_else(refused)?;
    let member = members::find_by_user(db, &refresh.user_id).await?;
    let member = member.ok_or_else(refused)?;
    if !refresh.family_revoked && refresh.expires_at > ctx.now && member.active {
        return Ok((refresh, member));
    }
    let (error, known) = (
        refused(),
        Known {
            member,
            token_id: None,
            is_agent: false,
        },
    );
    let row = attempted(Attempt::Operation(spec), ctx.origin, ctx.now);
    let reads = &ctx.services.reads;
    reads.denied(&known, &error, row, ctx.origin);
    Err(error)
}

/// The unused token that replaced a used one, so that a session never has two.
///
/// Refused (401) if there is none, because an older version of the service exchanged the token for
/// a random one.
async fn successor(ctx: &Context<'_>, db: &Conn<'_>, spent: &str) -> Result<String> {
    let mut token = spent.to_owned();
    for _ in 0..MOST_IN_GRACE {
        token = next(ctx, &token);
        let found = accounts::find_refresh(db, &sha256_hex(token.as_bytes())).await?;
        if found.ok_or_else(refused)?.used_at.is_none() {
            return Ok(token);
        }
    }
    Err(refused())
}

fn refused() -> Error {
    Error::new(Code::UNAUTHENTICATED)
        .because("O token de renovação não vale mais.")
        .with("next", "Entre de novo com e-mail e senha.".into())
}

/// The successor of a refresh token. It is derived from the token, so every instance computes the
/// same one, and it need not be stored in clear.
fn next(ctx: &Context<'_>, token: &str) -> String {
    URL_SAFE_NO_PAD.encode(ctx.services.keys.hmac("refresh tokens", token.as_bytes()))
}
