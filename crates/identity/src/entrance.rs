//! Signs people in from a browser with a hosted issuer.

use super::{
    HostedSessions,
    hosted::{self, Claims, Entrance, closed},
    networks,
    operations::{INVALID_CREDENTIALS, note},
    refused_sign_ins,
};
use domain::{Email, SessionId, UserId};
use gateway::{Context, Error, Outcome, Refused, Result};
use store::{accounts, members};

/// A new session of a browser.
pub(crate) struct Entered {
    pub user_id: UserId,
    pub family_id: SessionId,
}

/// Signs a person in with e-mail and password, which the issuer checks.
///
/// Refused (401) when they do not match; (403) when the person is not an active member; (429) after
/// too many attempts.
pub(crate) async fn with_password(
    ctx: &Context<'_>,
    sessions: &HostedSessions,
    email: &Email,
    password: &str,
) -> Result<Entered> {
    match sessions.entrance {
        Entrance::Form => {}
        Entrance::Closed | Entrance::Page { .. } => return Err(closed()),
    }
    networks::admit(ctx, email.as_str()).await?;
    let given = sessions.at_issuer.session(email.as_str(), password).await?;
    let Some(session) = given else {
        let member = members::find_by_email(&ctx.db(), email.as_str()).await?;
        let tx = ctx.begin().await?;
        let db = tx.conn();
        note(ctx, &db, "sign_in_failed", member.as_ref(), Outcome::Failed).await?;
        tx.commit().await?;
        refused_sign_ins::log(ctx, email, "recusada pelo provedor de identidade");
        return Err(Error::new(INVALID_CREDENTIALS));
    };
    networks::succeeded(ctx, email.as_str());
    let claims = sessions.check(&session, ctx.now).await?;
    let admitted = admit(ctx, sessions, &claims).await;
    admitted.inspect_err(|error| {
        if error.status() < 500 {
            refused_sign_ins::log(ctx, email, "a conta do provedor não é de um membro");
        }
    })
}

/// Signs a person in with the ID token that answers the request with this nonce. `None` if the
/// token answers another request or is for another client.
///
/// Refused (401) when the token is not valid; (403) when the person is not an active member.
pub(crate) async fn with_id_token(
    ctx: &Context<'_>,
    sessions: &HostedSessions,
    token: &str,
    client_id: &str,
    nonce: &str,
) -> Result<Option<Entered>> {
    let claims = sessions.claims(token, client_id, ctx.now).await?;
    if !claims.answers(nonce, client_id) {
        return Ok(None);
    }
    admit(ctx, sessions, &claims).await.map(Some)
}

/// Begins a session for the member whom the claims name. The session has a family in our database,
/// so that signing out ends it here.
async fn admit(ctx: &Context<'_>, sessions: &HostedSessions, claims: &Claims) -> Result<Entered> {
    let found = hosted::member(ctx.services, sessions, claims, ctx.now).await;
    let member = found.map_err(|refused: Refused| refused.error)?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    members::lock_member(&db, &member.id).await?;
    // The member's sessions may have been ended in the meantime.
    let member = members::require(&db, &member.id).await?;
    if let Some(error) = hosted::refusal(claims, &member, ctx.now) {
        return Err(error);
    }
    let family_id = SessionId::new(ctx.now);
    accounts::open_family(&db, &family_id, &member.user_id, ctx.now).await?;
    note(ctx, &db, "sign_in", Some(&member), Outcome::Succeeded).await?;
    tx.commit().await?;
    Ok(Entered {
        user_id: member.user_id,
        family_id,
    })
}
