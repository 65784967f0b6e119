//! Sign-in from a browser with a hosted issuer.

use super::{
    HostedSessions,
    hosted::{self, Claims, Entrance, sign_in_disabled_error},
    networks,
    operations::{INVALID_CREDENTIALS, insert_audit_row},
    refused_sign_ins,
};
use domain::{Email, SessionId, UserId};
use gateway::{Context, Error, Outcome, Refused, Result};
use store::{accounts, members};

/// A new browser session.
pub(crate) struct Entered {
    pub user_id: UserId,
    pub family_id: SessionId,
}

/// Signs a person in with e-mail and password. The issuer verifies them.
///
/// Fails with 401 if they do not match, with 403 if the person is not an active member, and with
/// 429 after too many attempts.
pub(crate) async fn sign_in_with_password(
    ctx: &Context<'_>,
    sessions: &HostedSessions,
    email: &Email,
    password: &str,
) -> Result<Entered> {
    match sessions.entrance {
        Entrance::Form => {}
        Entrance::Closed | Entrance::Page { .. } => return Err(sign_in_disabled_error()),
    }
    networks::admit_password_attempt(ctx, email.as_str()).await?;
    let given = sessions
        .at_issuer
        .sign_in_with_password(email.as_str(), password)
        .await?;
    let Some(session) = given else {
        let member = members::find_by_email(&ctx.db(), email.as_str()).await?;
        let tx = ctx.begin().await?;
        let db = tx.conn();
        insert_audit_row(ctx, &db, "sign_in_failed", member.as_ref(), Outcome::Failed).await?;
        tx.commit().await?;
        refused_sign_ins::log_failed_sign_in(ctx, email, "recusada pelo provedor de identidade");
        return Err(Error::new(INVALID_CREDENTIALS));
    };
    networks::forget_failures(ctx, email.as_str()).await?;
    let claims = sessions.verify_session(&session, ctx.now).await?;
    let admitted = open_session(ctx, sessions, &claims).await;
    admitted.inspect_err(|error| {
        if error.status() < 500 {
            refused_sign_ins::log_failed_sign_in(
                ctx,
                email,
                "a conta do provedor não é de um membro",
            );
        }
    })
}

/// Signs a person in with the ID token for the sign-in with this nonce. Returns `None` if the token
/// has another nonce or was issued to another client.
///
/// Fails with 401 if the token is not valid, and with 403 if the person is not an active member.
pub(crate) async fn sign_in_with_id_token(
    ctx: &Context<'_>,
    sessions: &HostedSessions,
    token: &str,
    client_id: &str,
    nonce: &str,
) -> Result<Option<Entered>> {
    let claims = sessions.verify_claims(token, client_id, ctx.now).await?;
    if !claims.is_for_sign_in(nonce, client_id) {
        return Ok(None);
    }
    open_session(ctx, sessions, &claims).await.map(Some)
}

/// Begins a session for the member whom the claims identify. The session has a family in our
/// database, so that signing out ends it here.
async fn open_session(
    ctx: &Context<'_>,
    sessions: &HostedSessions,
    claims: &Claims,
) -> Result<Entered> {
    let found = hosted::find_or_bind_member(ctx.services, sessions, claims, ctx.now).await;
    let member = found.map_err(|refused: Refused| refused.error)?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    members::lock_member(&db, &member.id).await?;
    // The member's sessions may have been ended in the meantime.
    let member = members::require(&db, &member.id).await?;
    if let Some(error) = hosted::session_error(claims, &member, ctx.now) {
        return Err(error);
    }
    let family_id = SessionId::new(ctx.now);
    accounts::open_family(&db, &family_id, &member.user_id, ctx.now).await?;
    insert_audit_row(ctx, &db, "sign_in", Some(&member), Outcome::Succeeded).await?;
    tx.commit().await?;
    Ok(Entered {
        user_id: member.user_id,
        family_id,
    })
}
