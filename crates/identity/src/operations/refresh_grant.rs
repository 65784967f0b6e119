//! Renewal of a session: each refresh token can be exchanged once.
//!
//! The successor of a refresh token is an HMAC of that token, so no token is stored in clear. If a
//! used token is presented again within its grace period of 10 seconds, on any instance, the
//! response contains the current successor: a session never has two unused refresh tokens. A used
//! token without a derived successor was exchanged by an earlier version of the service and is
//! rejected.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{insert_audit_row, session_tokens::SessionTokens};
use crate::networks;
use domain::{
    sha256_hex,
    time::{Millis, SECOND},
};
use gateway::{Attempt, Code, Context, Error, Known, Outcome, Result, Spec, attempt_row};
use store::{
    Conn,
    accounts::{self, Refresh},
    members::{self, Member},
};

/// The time for which a used token is still accepted, for clients that lost the response or sent two
/// requests.
const GRACE: Millis = 10 * SECOND;
/// Maximum number of renewals of a session within the grace period of one token.
const MOST_IN_GRACE: usize = 16;

/// Renews a session.
///
/// Fails with 401 if the token is unknown, expired or of an ended session. A token that was used
/// before the grace period was stolen or copied, so its whole family is revoked.
pub(super) async fn run(ctx: &Context<'_>, spec: &Spec, token: &str) -> Result<SessionTokens> {
    let digest = sha256_hex(token.as_bytes());
    // A read connection checks the token first, so that unauthenticated requests do not occupy the
    // writer.
    require_valid_token(ctx, &ctx.db(), spec, &digest).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let (refresh, member) = require_valid_token(ctx, &db, spec, &digest).await?;
    let family = &refresh.family_id;
    let first = accounts::mark_refresh_token_used(&db, &digest, ctx.now).await?;
    // If the token was unused when it was read and is used now, a simultaneous exchange has just
    // used it.
    let spent_at = refresh.used_at.unwrap_or(ctx.now);
    if !first && spent_at + GRACE < ctx.now {
        accounts::revoke_family(&db, family, ctx.now).await?;
        let reuse = "token_refresh_reuse";
        insert_audit_row(ctx, &db, reuse, Some(&member), Outcome::Denied).await?;
        tx.commit().await?;
        return Err(invalid_token_error());
    }
    let successor = if first {
        let successor = successor_of(ctx, token);
        SessionTokens::store_refresh(ctx, &db, &successor, family).await?;
        successor
    } else {
        find_unused_successor(ctx, &db, token).await?
    };
    let tokens = SessionTokens::with_new_access_token(ctx, &member, family, successor)?;
    networks::record_network_use(ctx, &db, &member).await?;
    tx.commit().await?;
    Ok(tokens)
}

/// Returns the token with its member if both are valid. Audits the rejection of a known token.
async fn require_valid_token(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    spec: &Spec,
    digest: &str,
) -> Result<(Refresh, Member)> {
    let refresh = accounts::find_refresh_token(db, digest).await?;
    let refresh = refresh.ok_or_else(invalid_token_error)?;
    let member = members::find_by_user(db, &refresh.user_id).await?;
    let member = member.ok_or_else(invalid_token_error)?;
    if !refresh.family_revoked && refresh.expires_at > ctx.now && member.active {
        return Ok((refresh, member));
    }
    let (error, known) = (invalid_token_error(), Known::by_session(member));
    let row = attempt_row(Attempt::Operation(spec), ctx.origin, ctx.now);
    let reads = &ctx.services.reads;
    reads.record_denial(&known, &error, row, ctx.origin);
    Err(error)
}

/// Returns the unused token that replaced a used one, so that a session never has two unused
/// tokens.
///
/// Fails with 401 if there is none, because an older version of the service exchanged the token for
/// a random one.
async fn find_unused_successor(ctx: &Context<'_>, db: &Conn<'_>, spent: &str) -> Result<String> {
    let mut token = spent.to_owned();
    for _ in 0..MOST_IN_GRACE {
        token = successor_of(ctx, &token);
        let found = accounts::find_refresh_token(db, &sha256_hex(token.as_bytes())).await?;
        if found.ok_or_else(invalid_token_error)?.used_at.is_none() {
            return Ok(token);
        }
    }
    Err(invalid_token_error())
}

fn invalid_token_error() -> Error {
    Error::new(Code::UNAUTHENTICATED)
        .because("O token de renovação não vale mais.")
        .with_detail("next", "Entre de novo com e-mail e senha.".into())
}

/// Derives the successor of a refresh token. Every instance computes the same successor, so it need
/// not be stored in clear.
fn successor_of(ctx: &Context<'_>, token: &str) -> String {
    URL_SAFE_NO_PAD.encode(ctx.services.keys.hmac("refresh tokens", token.as_bytes()))
}
