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

/// How long a spent token is still exchanged, for clients that lost the answer or raced themselves.
const GRACE: Millis = 10 * SECOND;
/// How often one session can be renewed within the grace of one token.
const MOST_IN_GRACE: usize = 16;

/// Refused (401) for a token that is unknown, over or of an ended session. One that was spent
/// longer ago than the grace was stolen or copied: its whole family ends.
pub(super) async fn run(ctx: &Context<'_>, spec: &Spec, token: &str) -> Result<SessionTokens> {
    let digest = sha256_hex(token.as_bytes());
    // Checked on a reader first, so that unauthenticated requests do not take the writer.
    require(ctx, &ctx.db(), spec, &digest).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let (refresh, member) = require(ctx, &db, spec, &digest).await?;
    let family = &refresh.family_id;
    let first = accounts::use_refresh(&db, &digest, ctx.now).await?;
    // Spent, but not when it was read: a simultaneous exchange has just spent it.
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

/// The token with its member, where both are in force; the refusal of one that is known is noted.
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

/// The unspent token that replaced a spent one, so that a session never has two.
///
/// Refused (401) where there is none: the token was exchanged by a version that drew them at random.
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

/// The refresh token that follows this one: the same on every instance, and stored by none.
fn next(ctx: &Context<'_>, token: &str) -> String {
    URL_SAFE_NO_PAD.encode(ctx.services.keys.hmac("refresh tokens", token.as_bytes()))
}
