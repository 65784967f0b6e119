//! Authenticates a bearer: one indexed query, with the member row read on every request.
//!
//! A token is found by its public prefix, and its SHA-256 is compared in constant time. The
//! signature of a session is checked against the key set before the database is read. A session
//! without a known family is refused, as is one whose header requires an extension (`crit`).

use async_trait::async_trait;
use subtle::ConstantTimeEq;

use super::{
    HostedSessions,
    audience::resource,
    hosted,
    session::{Claims, SessionKeys},
};
use domain::{
    AGENT_PREFIX, AgentSecret, TOKEN_PREFIX, TokenId, TokenSecret,
    time::{Millis, SECOND},
};
use gateway::{
    Authenticator, Code, Credential, Door, Error, Known, Principal, Refused, Result, Services,
};
use store::{Conn, accounts, agents, members, tokens};

/// Authenticates personal tokens, agents' access tokens, and sessions. Sessions come from the
/// hosted issuer if one is configured, otherwise from the embedded identity.
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
}

/// Authenticates a bearer: a personal token, an agent's access token or a session.
///
/// Refused (401) when it is absent, malformed, unknown, expired, revoked or ended, or is an agent's
/// token and not presented over MCP; (403) when the person of a session is not an active member.
/// The refusal names the member who owns the credential, if known.
async fn authenticate(
    services: &Services,
    bearer: Option<&str>,
    door: Door,
) -> Result<Principal, Refused> {
    let bearer = bearer.ok_or_else(Refused::absent)?;
    if bearer.starts_with(AGENT_PREFIX) {
        return agent(services, bearer, door).await;
    }
    if bearer.starts_with(TOKEN_PREFIX) {
        return personal_token(services, bearer).await;
    }
    match services.parts.find::<HostedSessions>() {
        Some(sessions) => hosted::authenticate(services, sessions, bearer).await,
        None => session(services, bearer).await,
    }
}

async fn personal_token(services: &Services, bearer: &str) -> Result<Principal, Refused> {
    let refused = || Error::new(Code::UNAUTHENTICATED);
    let secret = TokenSecret::parse(bearer).ok_or_else(refused)?;
    let found = tokens::find_presented(&services.db.reader(), secret.prefix()).await?;
    // The secret is compared even for an unknown token, so that the answer takes as long as for a
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
        return Err(Refused::of(
            Error::new(code),
            Known {
                member: token.member,
                token_id: Some(token.id),
                is_agent: false,
            },
        ));
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

/// Authenticates the access token of a connected agent, which is valid only at the MCP endpoint of
/// this service.
async fn agent(services: &Services, bearer: &str, door: Door) -> Result<Principal, Refused> {
    let refused = || Error::new(Code::UNAUTHENTICATED);
    let secret = AgentSecret::parse(bearer).ok_or_else(refused)?;
    let found = agents::tokens::find_presented(&services.db.reader(), secret.prefix()).await?;
    let stored = found
        .as_ref()
        .map_or([b'0'; 64].as_slice(), |t| t.secret_sha256.as_bytes());
    let matches = bool::from(secret.digest().as_bytes().ct_eq(stored));
    let token = found.filter(|_| matches).ok_or_else(refused)?;
    let (agent, member, now) = (token.agent, token.member, services.clock.now());
    let is_ours = agent.resource == resource(&services.public_url);
    let error = if agent.revoked_at.is_some() || !member.active {
        let next = "Ligue o agente de novo.";
        Some(
            Error::new(Code::TOKEN_REVOKED)
                .because("O acesso do agente foi encerrado.")
                .with("next", next.into()),
        )
    } else if door != Door::Mcp || !is_ours {
        Some(
            refused().because("O token deste agente só vale no endereço MCP para o qual foi dado."),
        )
    } else {
        (token.expires_at <= now).then(|| Error::new(Code::TOKEN_EXPIRED))
    };
    let id = TokenId::stored(agent.id.into()).ok_or_else(refused)?;
    if let Some(error) = error {
        let known = Known {
            member,
            token_id: Some(id),
            is_agent: true,
        };
        return Err(Refused::of(error, known));
    }
    services.reads.used(&id, now);
    let scopes = agent.scopes;
    Ok(Principal::new(member, Credential::Agent { id, scopes }))
}

pub(crate) async fn session(services: &Services, bearer: &str) -> Result<Principal, Refused> {
    let now = services.clock.now();
    let claims = services.parts.get::<SessionKeys>().check(bearer, now)?;
    let family = claims.session_id.as_ref();
    let found = accounts::find_session(&services.db.reader(), &claims.sub, family).await?;
    let refusal = refusal(&claims, found.as_ref(), now);
    let Some(session) = found else {
        return Err(refusal
            .unwrap_or_else(|| Error::new(Code::UNAUTHENTICATED))
            .into());
    };
    if let Some(error) = refusal {
        let known = Known {
            member: session.member,
            token_id: None,
            is_agent: false,
        };
        return Err(Refused::of(error, known));
    }
    Ok(Principal::new(
        session.member,
        Credential::Session {
            family_id: claims.session_id,
        },
    ))
}

/// The time at which the caller signed in; `None` for a token, a bearer of a hosted issuer, and the
/// operator.
///
/// Refused (401) when the session has ended since it was authenticated. Operations that create new
/// credentials check this again in their own transaction.
pub async fn signed_in_at(db: &Conn<'_>, caller: &Principal) -> Result<Option<Millis>> {
    let family = match &caller.credential {
        Credential::Token { .. } | Credential::Agent { .. } => return Ok(None),
        Credential::Session { family_id } => family_id.as_ref(),
    };
    let Some(family) = family else {
        let judged = caller.member.sessions_valid_after;
        let member = members::find(db, &caller.member.id).await?;
        let lasts = member.is_some_and(|member| member.sessions_valid_after == judged);
        return if lasts { Ok(None) } else { Err(ended()) };
    };
    let found = accounts::find_session(db, &caller.member.user_id, Some(family)).await?;
    let family = found.and_then(|session| session.family);
    match family.filter(|family| !family.revoked) {
        Some(family) => Ok(Some(family.opened_at)),
        None => Err(ended()),
    }
}

pub(crate) fn ended() -> Error {
    Error::new(Code::UNAUTHENTICATED).because("A sessão foi encerrada.")
}

/// The reason why a session with a valid signature is not in force.
fn refusal(claims: &Claims, found: Option<&accounts::Session>, now: Millis) -> Option<Error> {
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
    // `iat` has whole seconds, so for a session of the same second only the family decides.
    let before =
        claims.iat.saturating_add(1).saturating_mul(SECOND) <= session.member.sessions_valid_after;
    (family.revoked || before).then(ended)
}
