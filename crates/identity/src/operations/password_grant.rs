//! Sign-in with e-mail and password.

use super::{INVALID_CREDENTIALS, insert_audit_row, session_tokens::SessionTokens};
use crate::{Passwords, networks, refused_sign_ins};
use domain::Email;
use gateway::{Context, Error, Outcome, Result};
use store::{
    Conn,
    accounts::{self, Credentials},
    members,
};

/// Signs a member in with e-mail and password.
///
/// Fails with the same 401, and after the same time, for a wrong password, an unknown e-mail, a
/// former member and an account without a password; with 429 after too many attempts.
pub(crate) async fn run(ctx: &Context<'_>, email: &Email, password: &str) -> Result<SessionTokens> {
    networks::admit_password_attempt(ctx, email.as_str()).await?;
    let known = accounts::find_credentials(&ctx.db(), email.as_str()).await?;
    let stored = known.as_ref().and_then(Credentials::usable_hash);
    let matches = Passwords::from_context(ctx)
        .matches(password, stored)
        .await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let opened = match &known {
        Some(credentials) if matches => open_session(ctx, &db, credentials).await?,
        _ => None,
    };
    let member = known.as_ref().map(|credentials| &credentials.member);
    let (action, outcome) = match opened {
        Some(_) => ("sign_in", Outcome::Succeeded),
        None => ("sign_in_failed", Outcome::Failed),
    };
    insert_audit_row(ctx, &db, action, member, outcome).await?;
    tx.commit().await?;
    let Some(tokens) = opened else {
        refused_sign_ins::log_failed_sign_in(
            ctx,
            email,
            refused_sign_ins::failure_reason(known.as_ref(), matches),
        );
        return Err(Error::new(INVALID_CREDENTIALS));
    };
    networks::forget_failures(ctx, email.as_str()).await?;
    Ok(tokens)
}

/// Opens the session, unless the password changed or the member left while Argon2 ran.
async fn open_session(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    judged: &Credentials,
) -> Result<Option<SessionTokens>> {
    members::lock_member(db, &judged.member.id).await?;
    let current = accounts::find_credentials(db, &judged.member.email).await?;
    let Some(current) = current.filter(|c| c.usable_hash() == judged.usable_hash()) else {
        return Ok(None);
    };
    Ok(Some(
        SessionTokens::open_session(ctx, db, &current.member).await?,
    ))
}
