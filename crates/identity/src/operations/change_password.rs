//! Changes a password with the current password, without a session.

use super::{INVALID_CREDENTIALS, insert_audit_row, session_tokens::SessionTokens};
use crate::{Passwords, networks, passwords::require_strong, refused_sign_ins};
use domain::Email;
use gateway::{Context, Error, Outcome, Result};
use store::{
    accounts::{self, Credentials},
    members,
};

/// Sets the password, ends all sessions of the member and begins a new one.
///
/// Fails with 401, like a sign-in, if e-mail and current password do not match; with 400 if the new
/// password is weak; and with 429 after too many attempts.
pub(crate) async fn run(
    ctx: &Context<'_>,
    email: &Email,
    current: &str,
    new: &str,
) -> Result<SessionTokens> {
    networks::admit_password_attempt(ctx, email.as_str()).await?;
    let known = accounts::find_credentials(&ctx.db(), email.as_str()).await?;
    let stored = known.as_ref().and_then(Credentials::usable_hash);
    let matches = Passwords::from_context(ctx)
        .matches(current, stored.clone())
        .await?;
    let Some(judged) = known.as_ref().filter(|_| matches) else {
        let tx = ctx.begin().await?;
        let member = known.as_ref().map(|credentials| &credentials.member);
        insert_audit_row(ctx, &tx.conn(), "sign_in_failed", member, Outcome::Failed).await?;
        tx.commit().await?;
        refused_sign_ins::log_failed_sign_in(
            ctx,
            email,
            refused_sign_ins::failure_reason(known.as_ref(), matches),
        );
        return Err(Error::new(INVALID_CREDENTIALS));
    };
    networks::forget_failures(ctx, email.as_str()).await?;
    require_strong(new, &judged.member)?;
    let hash = Passwords::from_context(ctx).hash(new).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    members::lock_member(&db, &judged.member.id).await?;
    // While Argon2 ran, the password may have changed or the member may have left.
    let now = accounts::find_credentials(&db, &judged.member.email).await?;
    let now = now.filter(|credentials| credentials.usable_hash() == stored);
    let member = &now.ok_or_else(|| Error::new(INVALID_CREDENTIALS))?.member;
    let session = SessionTokens::open_with_password(ctx, &db, member, &hash).await?;
    insert_audit_row(
        ctx,
        &db,
        "change_my_password",
        Some(member),
        Outcome::Succeeded,
    )
    .await?;
    tx.commit().await?;
    Ok(session)
}
