//! From a bearer to a principal: one indexed query, the member row fresh on every request.

use subtle::ConstantTimeEq;

use crate::{
    domain::{TOKEN_PREFIX, TokenSecret, time::SECOND},
    registry::{Code, Credential, Error, Principal, Result, Services},
    store::{accounts, tokens},
};

/// Judges a bearer: a personal token or a session.
///
/// Refused (401) when it is absent, malformed, unknown, expired or revoked; (403) when a session's
/// person is no active member.
pub async fn authenticate(services: &Services, bearer: Option<&str>) -> Result<Principal> {
    let bearer = bearer.ok_or_else(|| Error::new(Code::Unauthenticated))?;
    if bearer.starts_with(TOKEN_PREFIX) {
        personal_token(services, bearer).await
    } else {
        session(services, bearer).await
    }
}

async fn personal_token(services: &Services, bearer: &str) -> Result<Principal> {
    let refused = || Error::new(Code::Unauthenticated);
    let secret = TokenSecret::parse(bearer).ok_or_else(refused)?;
    let found = tokens::find_presented(&services.db.reader(), secret.prefix()).await?;
    // An unknown token is compared too, so that it takes as long as a wrong secret.
    let stored = found
        .as_ref()
        .map_or([b'0'; 64].as_slice(), |t| t.secret_sha256.as_bytes());
    let matches = bool::from(secret.digest().as_bytes().ct_eq(stored));
    let token = found.filter(|_| matches).ok_or_else(refused)?;
    let now = services.clock.now();
    if token.revoked_at.is_some() || !token.member.active {
        return Err(Error::new(Code::TokenRevoked));
    }
    if token.expires_at <= now {
        return Err(Error::new(Code::TokenExpired));
    }
    services.reads.used(&token.id, now);
    Ok(Principal::new(
        token.member,
        Credential::Token {
            id: token.id,
            scopes: token.scopes,
        },
    ))
}

async fn session(services: &Services, bearer: &str) -> Result<Principal> {
    let claims = services.sessions.check(bearer, services.clock.now())?;
    let family_id = claims.session_id;
    let family = family_id.as_deref().unwrap_or_default();
    let session = accounts::find_session(&services.db.reader(), &claims.sub, family)
        .await?
        .ok_or_else(|| Error::new(Code::NotAMember))?;
    if !session.member.active {
        return Err(Error::new(Code::NotAMember));
    }
    // `iat` has whole seconds: a session of the same second is judged by its family alone.
    let ended =
        claims.iat.saturating_add(1).saturating_mul(SECOND) <= session.member.sessions_valid_after;
    if session.family_revoked || ended {
        return Err(Error::new(Code::Unauthenticated).because("A sessão foi encerrada."));
    }
    Ok(Principal::new(
        session.member,
        Credential::Session { family_id },
    ))
}
