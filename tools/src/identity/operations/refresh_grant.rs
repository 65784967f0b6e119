//! Renewal of a session: each refresh token is good for one exchange.

use super::{note, session_tokens::SessionTokens};
use crate::{
    domain::{
        sha256_hex,
        time::{Millis, SECOND},
    },
    registry::{Code, Context, Error, Outcome, Result},
    store::{accounts, members},
};

/// How long a spent token is still exchanged, for clients that lost the answer or raced themselves.
const GRACE: Millis = 10 * SECOND;

/// Refused (401) for a token that is unknown, over or of an ended session. One that was spent
/// longer ago than the grace was stolen or copied: its whole family ends.
pub(super) async fn run(ctx: &Context<'_>, token: &str) -> Result<SessionTokens> {
    let digest = sha256_hex(token.as_bytes());
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let found = accounts::find_refresh(&db, &digest).await?;
    let in_force = |r: &accounts::Refresh| !r.family_revoked && r.token.expires_at > ctx.now;
    let refresh = found.filter(in_force).ok_or_else(refused)?;
    let member = members::find_by_user(&db, &refresh.user_id).await?;
    let member = member.filter(|m| m.active).ok_or_else(refused)?;
    let first = accounts::use_refresh(&db, &digest, ctx.now).await?;
    // Spent, but not when it was read: a simultaneous exchange has just spent it.
    let spent_at = refresh.token.used_at.unwrap_or(ctx.now);
    if !first && spent_at + GRACE < ctx.now {
        accounts::revoke_family(&db, &refresh.token.family_id, ctx.now).await?;
        let reuse = "token_refresh_reuse";
        note(ctx, &db, reuse, Some(&member), Outcome::Denied).await?;
        tx.commit().await?;
        return Err(refused());
    }
    let tokens = SessionTokens::issue(ctx, &db, &member, &refresh.token.family_id).await?;
    tx.commit().await?;
    Ok(tokens)
}

fn refused() -> Error {
    Error::new(Code::Unauthenticated)
        .because("O token de renovação não vale mais.")
        .with("next", "Entre de novo com e-mail e senha.".into())
}
