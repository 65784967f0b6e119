//! Finds the member of a hosted session. The first sign-in binds the member to the account.
//!
//! An account is bound to a member when the issuer accepts the invitation, or by the first session
//! whose e-mail the issuer confirms: with a claim `email_verified` that is `true`, or through the
//! admin API of Supabase Auth. The error for an unbound account always has the same text, because
//! it must not reveal who is a member.

use domain::{MemberId, Outcome, time::Millis};
use gateway::{Code, Credential, Error, Known, Principal, Refused, Result, Services};
use serde_json::{Map, Value};
use store::{
    audit::{self, AuditRow},
    hosted_identities,
    members::{self, Member},
};

use super::{HostedSessions, claims::Claims};

/// Authenticates a session of the hosted issuer.
///
/// Fails with 401 if it is forged, has expired or has ended, and with 403 if its person is not an
/// active member.
pub(crate) async fn authenticate(
    services: &Services,
    sessions: &HostedSessions,
    bearer: &str,
) -> Result<Principal, Refused> {
    let now = services.clock.now();
    let claims = sessions.verify_session(bearer, now).await?;
    let member = find_or_bind_member(services, sessions, &claims, now).await?;
    Ok(Principal::new(
        member,
        Credential::Session { family_id: None },
    ))
}

/// Returns the member of the account that the claims identify. The first sign-in binds the account
/// to the member.
///
/// Fails with 401 if the session has expired or was issued before the member's sessions were ended,
/// and with 403 if the person is not an active member.
pub(crate) async fn find_or_bind_member(
    services: &Services,
    sessions: &HostedSessions,
    claims: &Claims,
    now: Millis,
) -> Result<Member, Refused> {
    let reader = services.db.reader();
    let found = hosted_identities::find_member(&reader, &sessions.issuer, &claims.sub).await?;
    match found {
        Some(member) => match session_error(claims, &member, now) {
            None => Ok(member),
            Some(error) => Err(Refused::with_owner(error, Known::by_session(member))),
        },
        None if claims.is_expired(now) => Err(Error::new(Code::TOKEN_EXPIRED).into()),
        None => Ok(bind_account(services, sessions, claims, now).await?),
    }
}

/// Returns the error if an authentic session has expired or has ended, or if its member is no longer
/// active. `None` if the session is valid.
pub(crate) fn session_error(claims: &Claims, member: &Member, now: Millis) -> Option<Error> {
    if claims.is_expired(now) {
        Some(Error::new(Code::TOKEN_EXPIRED))
    } else if !member.active {
        Some(Error::new(Code::NOT_A_MEMBER))
    } else if claims.may_be_issued_before(member.sessions_valid_after) {
        Some(Error::new(Code::UNAUTHENTICATED).because("A sessão foi encerrada."))
    } else {
        None
    }
}

/// Binds the account to the active member with the same e-mail, once.
///
/// Fails with 403 if there is no such member, if the issuer does not confirm the e-mail, or if
/// another account is bound to the member. The text is always the same, so that it does not reveal
/// who is a member.
async fn bind_account(
    services: &Services,
    sessions: &HostedSessions,
    claims: &Claims,
    now: Millis,
) -> Result<Member> {
    let email = claims.email().ok_or_else(unknown_member_error)?;
    let (reader, issuer) = (services.db.reader(), sessions.issuer.as_str());
    let invited = members::find_by_email(&reader, email.as_str()).await?;
    let invited = invited
        .filter(|member| member.active)
        .ok_or_else(unknown_member_error)?;
    let bound = hosted_identities::find_subject(&reader, issuer, &invited.id).await?;
    if bound.is_some_and(|bound| bound != claims.sub) {
        return Err(other_account_bound_error(&invited.id));
    }
    let confirmed = claims.has_verified_email()
        || services
            .identity
            .is_email_confirmed(&claims.sub, email.as_str())
            .await?;
    if !confirmed {
        return Err(unknown_member_error());
    }
    let tx = services.db.begin().await?;
    let db = tx.conn();
    members::lock_member(&db, &invited.id).await?;
    let member = members::require(&db, &invited.id).await?;
    if let Some(error) = session_error(claims, &member, now) {
        return Err(error);
    }
    // A simultaneous request may have bound the account already.
    let bound = hosted_identities::find_subject(&db, issuer, &member.id).await?;
    if bound.as_deref() != Some(&claims.sub) {
        if !hosted_identities::bind_account(&db, issuer, &claims.sub, &member.id, now).await? {
            return Err(other_account_bound_error(&member.id));
        }
        audit::insert(&db, binding_audit_row(&member, issuer, now)).await?;
    }
    tx.commit().await?;
    Ok(member)
}

fn unknown_member_error() -> Error {
    Error::new(Code::NOT_A_MEMBER)
        .because(
            "A pessoa não é membro ativo da equipe, ou o provedor de identidade não confirma o \
             e-mail da conta.",
        )
        .with_detail(
            "next",
            "Confirme o e-mail no provedor de identidade e entre de novo; se persistir, peça a um \
             admin da equipe que convide este e-mail."
                .into(),
        )
}

fn other_account_bound_error(member: &MemberId) -> Error {
    tracing::warn!(
        member_id = member.as_str(),
        "uma conta com o e-mail do membro foi recusada: outra já está vinculada a ele"
    );
    unknown_member_error()
}

fn binding_audit_row(member: &Member, issuer: &str, now: Millis) -> AuditRow {
    let mut metadata = Map::new();
    metadata.insert("issuer".into(), Value::from(issuer));
    let row = AuditRow {
        occurred_at: now,
        request_id: None,
        actor_member_id: None,
        actor_user_id: None,
        token_id: None,
        auth_method: "session",
        capability: None,
        action: "bind_identity",
        resource_type: Some("member"),
        resource_id: Some(member.id.clone().into()),
        outcome: Outcome::Succeeded,
        status_code: Some(200),
        metadata,
    };
    row.with_actor(member)
}
