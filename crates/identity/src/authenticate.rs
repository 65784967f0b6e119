//! Authenticates bearer tokens. One indexed query per request also reads the member, so changes
//! take effect at once.
//!
//! A personal token is found by its public prefix, and its SHA-256 is compared in constant time.
//! The signature of a session is verified with the key set before the database is read. Sessions of
//! an unknown family, and sessions whose JWT header requires an extension (`crit`), are rejected.

use async_trait::async_trait;
use subtle::ConstantTimeEq;

use super::{
    HostedSessions,
    audience::mcp_endpoint_url,
    guest_link, hosted,
    session::{Claims, SessionKeys},
    upload_link,
};
use domain::{
    AGENT_PREFIX, AgentSecret, GUEST_PREFIX, TOKEN_PREFIX, TokenId, TokenSecret,
    time::{Millis, SECOND},
};
use gateway::{
    Authenticator, Code, Credential, Door, Error, Known, Principal, Refused, Result, Services,
};
use store::{Conn, accounts, agents, members, tokens};

/// Authenticates personal tokens, agents' access tokens, and sessions. Sessions are verified with
/// the keys of the hosted issuer if one is configured, otherwise with the keys of this service.
pub struct CredentialCheck;

#[async_trait]
impl Authenticator for CredentialCheck {
    async fn authenticate(
        &self,
        services: &Services,
        bearer: Option<&str>,
        door: Door,
    ) -> Result<Principal, Refused> {
        authenticate(services, bearer, door).await
    }

    async fn authenticate_upload(
        &self,
        services: &Services,
        id: &str,
        signature: &str,
    ) -> Result<Principal, Refused> {
        upload_link::authenticate(services, id, signature).await
    }

    async fn authenticate_guest(
        &self,
        services: &Services,
        secret: &str,
        proof: Option<&str>,
    ) -> Result<Principal, Refused> {
        guest_link::authenticate(services, secret, proof).await
    }
}

/// Authenticates a bearer token: a personal token, an agent's access token, the link of a guest or a
/// session.
///
/// Fails with 401 if the token is absent, malformed, unknown, expired, revoked or ended, or if an
/// agent's token is not used over MCP. Fails with 403 if the person of a session is not an active
/// member. The error contains the owner of the credential, if the owner is known.
async fn authenticate(
    services: &Services,
    bearer: Option<&str>,
    door: Door,
) -> Result<Principal, Refused> {
    let bearer = bearer.ok_or_else(Refused::missing_credential)?;
    if bearer.starts_with(AGENT_PREFIX) {
        return authenticate_agent(services, bearer, door).await;
    }
    if bearer.starts_with(TOKEN_PREFIX) {
        return authenticate_personal_token(services, bearer).await;
    }
    if bearer.starts_with(GUEST_PREFIX) {
        return guest_link::authenticate_bearer(services, bearer, door).await;
    }
    match services.parts.find::<HostedSessions>() {
        Some(sessions) => hosted::authenticate(services, sessions, bearer).await,
        None => authenticate_session(services, bearer).await,
    }
}

async fn authenticate_personal_token(
    services: &Services,
    bearer: &str,
) -> Result<Principal, Refused> {
    let refused = || Error::new(Code::UNAUTHENTICATED);
    let secret = TokenSecret::parse(bearer).ok_or_else(refused)?;
    let found = tokens::find_by_prefix(&services.db.reader(), secret.prefix()).await?;
    // The hash is compared even for an unknown token, so that the response takes as long as for a
    // wrong secret.
    let stored = found
        .as_ref()
        .map_or([b'0'; 64].as_slice(), |t| t.secret_sha256.as_bytes());
    let matches = bool::from(secret.digest().as_bytes().ct_eq(stored));
    let token = found.filter(|_| matches).ok_or_else(refused)?;
    let now = services.clock.now();
    let code = if token.revoked_at.is_some() || !token.member.active {
        Some(Code::TOKEN_REVOKED)
    } else {
        (token.expires_at <= now).then_some(Code::TOKEN_EXPIRED)
    };
    if let Some(code) = code {
        let known = Known::by_token(token.member, token.id);
        return Err(Refused::with_owner(Error::new(code), known));
    }
    services.reads.record_token_use(&token.id, now);
    Ok(Principal::new(
        token.member,
        Credential::Token {
            id: token.id,
            scopes: token.scopes,
        },
    ))
}

/// Authenticates an agent's access token, which is valid only at the MCP endpoint of this service.
async fn authenticate_agent(
    services: &Services,
    bearer: &str,
    door: Door,
) -> Result<Principal, Refused> {
    let refused = || Error::new(Code::UNAUTHENTICATED);
    let secret = AgentSecret::parse(bearer).ok_or_else(refused)?;
    let found = agents::tokens::find_by_prefix(&services.db.reader(), secret.prefix()).await?;
    let stored = found
        .as_ref()
        .map_or([b'0'; 64].as_slice(), |t| t.secret_sha256.as_bytes());
    let matches = bool::from(secret.digest().as_bytes().ct_eq(stored));
    let token = found.filter(|_| matches).ok_or_else(refused)?;
    let (agent, member, now) = (token.agent, token.member, services.clock.now());
    let is_ours = agent.resource == mcp_endpoint_url(&services.public_url);
    let error = if agent.revoked_at.is_some() || !member.active {
        let next = "Ligue o agente de novo.";
        Some(
            Error::new(Code::TOKEN_REVOKED)
                .because("O acesso do agente foi encerrado.")
                .with_detail("next", next.into()),
        )
    } else if door != Door::Mcp || !is_ours {
        Some(
            refused().because("O token deste agente só vale no endereço MCP para o qual foi dado."),
        )
    } else {
        (token.expires_at <= now).then(|| Error::new(Code::TOKEN_EXPIRED))
    };
    let id = TokenId::from_stored(agent.id.into()).ok_or_else(refused)?;
    if let Some(error) = error {
        let known = Known::by_agent(member, id);
        return Err(Refused::with_owner(error, known));
    }
    services.reads.record_token_use(&id, now);
    let scopes = agent.scopes;
    Ok(Principal::new(member, Credential::Agent { id, scopes }))
}

pub(crate) async fn authenticate_session(
    services: &Services,
    bearer: &str,
) -> Result<Principal, Refused> {
    let now = services.clock.now();
    let claims = services
        .parts
        .get::<SessionKeys>()
        .verify_session(bearer, now)?;
    let family = claims.session_id.as_ref();
    let found = accounts::find_session(&services.db.reader(), &claims.sub, family).await?;
    let refusal = session_error(&claims, found.as_ref(), now);
    let Some(session) = found else {
        return Err(refusal
            .unwrap_or_else(|| Error::new(Code::UNAUTHENTICATED))
            .into());
    };
    if let Some(error) = refusal {
        let known = Known::by_session(session.member);
        return Err(Refused::with_owner(error, known));
    }
    Ok(Principal::new(
        session.member,
        Credential::Session {
            family_id: claims.session_id,
        },
    ))
}

/// Returns when the caller signed in; `None` for a token, a bearer token of a hosted issuer, and
/// the operator.
///
/// Fails with 401 if the session has ended since it was authenticated. Operations that create new
/// credentials call this in their own transaction.
pub async fn signed_in_at(db: &Conn<'_>, caller: &Principal) -> Result<Option<Millis>> {
    let family = match &caller.credential {
        Credential::Token { .. } | Credential::Agent { .. } | Credential::Guest(_) => {
            return Ok(None);
        }
        Credential::Session { family_id } => family_id.as_ref(),
    };
    let Some(family) = family else {
        let judged = caller.member.sessions_valid_after;
        let member = members::find(db, &caller.member.id).await?;
        let lasts = member.is_some_and(|member| member.sessions_valid_after == judged);
        return if lasts {
            Ok(None)
        } else {
            Err(session_ended_error())
        };
    };
    let found = accounts::find_session(db, &caller.member.user_id, Some(family)).await?;
    let family = found.and_then(|session| session.family);
    match family.filter(|family| !family.revoked) {
        Some(family) => Ok(Some(family.opened_at)),
        None => Err(session_ended_error()),
    }
}

pub(crate) fn session_ended_error() -> Error {
    Error::new(Code::UNAUTHENTICATED).because("A sessão foi encerrada.")
}

/// Returns the error if a session with a valid signature is unknown, has expired or has ended, or if its
/// person is not an active member. `None` if the session is valid.
fn session_error(claims: &Claims, found: Option<&accounts::Session>, now: Millis) -> Option<Error> {
    if claims.is_expired(now) {
        return Some(Error::new(Code::TOKEN_EXPIRED));
    }
    let unknown = || Some(Error::new(Code::UNAUTHENTICATED));
    let Some(session) = found else {
        return unknown();
    };
    let Some(family) = &session.family else {
        return unknown();
    };
    if !session.member.active {
        return Some(Error::new(Code::NOT_A_MEMBER));
    }
    // `iat` has whole seconds. A session issued in the same second as `sessions_valid_after` is
    // invalid only if its family is revoked.
    let before =
        claims.iat.saturating_add(1).saturating_mul(SECOND) <= session.member.sessions_valid_after;
    (family.revoked || before).then(session_ended_error)
}
