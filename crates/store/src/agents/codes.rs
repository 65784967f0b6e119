//! Authorization codes, stored by their hash.

use super::scopes;
use crate::{Bind, Conn, Result};
use domain::{
    AgentId, Capabilities, ClientId, MemberId, SessionId, UserId,
    time::{HOUR, Millis},
};

/// How long a used code is kept after its expiry, so that its reuse is detected.
const KEPT: Millis = 24 * HOUR;

/// An authorization code and the request that it was issued for.
#[derive(Debug, Clone)]
pub struct AuthorizationCode {
    pub code_sha256: String,
    pub client_id: ClientId,
    pub member_id: MemberId,
    /// The session in which the person authorized the client.
    pub family_id: Option<SessionId>,
    pub redirect_uri: String,
    /// The PKCE challenge (S256).
    pub challenge: String,
    pub resource: String,
    pub scopes: Capabilities,
    /// The existing agent of the client that the new agent replaces.
    pub replaces: Option<AgentId>,
    pub agent_expires_at: Millis,
    pub created_at: Millis,
    pub expires_at: Millis,
    pub used_at: Option<Millis>,
    /// The agent that was created when the code was exchanged.
    pub agent_id: Option<AgentId>,
}

const INSERT: &str = "
INSERT INTO oauth_codes (code_sha256, client_id, member_id, redirect_uri, challenge, resource, scopes,
    agent_expires_at, created_at, expires_at, family_id, replaces)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";

pub async fn insert(db: &Conn<'_>, code: &AuthorizationCode) -> Result<()> {
    let values = [
        code.code_sha256.as_str().into(),
        code.client_id.value(),
        code.member_id.value(),
        code.redirect_uri.as_str().into(),
        code.challenge.as_str().into(),
        code.resource.as_str().into(),
        scopes::to_json(code.scopes)?.into(),
        code.agent_expires_at.into(),
        code.created_at.into(),
        code.expires_at.into(),
        code.family_id.as_ref().map(SessionId::as_str).into(),
        code.replaces.as_ref().map(AgentId::as_str).into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

pub async fn find(db: &Conn<'_>, code_sha256: &str) -> Result<Option<AuthorizationCode>> {
    let sql = "SELECT * FROM oauth_codes WHERE code_sha256 = $1";
    let Some(row) = db.fetch_one(sql, [code_sha256.into()]).await? else {
        return Ok(None);
    };
    Ok(Some(AuthorizationCode {
        code_sha256: row.try_get("", "code_sha256")?,
        client_id: row.try_get("", "client_id")?,
        member_id: row.try_get("", "member_id")?,
        family_id: row.try_get("", "family_id")?,
        redirect_uri: row.try_get("", "redirect_uri")?,
        challenge: row.try_get("", "challenge")?,
        resource: row.try_get("", "resource")?,
        scopes: scopes::parse(&row.try_get::<String>("", "scopes")?)?,
        replaces: row.try_get("", "replaces")?,
        agent_expires_at: row.try_get("", "agent_expires_at")?,
        created_at: row.try_get("", "created_at")?,
        expires_at: row.try_get("", "expires_at")?,
        used_at: row.try_get("", "used_at")?,
        agent_id: row.try_get("", "agent_id")?,
    }))
}

/// Marks a code as used by an agent. Returns `false` if the code was used before.
pub async fn consume_code(
    db: &Conn<'_>,
    code_sha256: &str,
    agent_id: &AgentId,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE oauth_codes SET used_at = $2, agent_id = $3
               WHERE code_sha256 = $1 AND used_at IS NULL";
    let values = [code_sha256.into(), now.into(), agent_id.value()];
    Ok(db.run(sql, values).await? == 1)
}

/// Which unused codes to delete.
pub(crate) enum Unused<'a> {
    /// All codes of a member.
    OfMember(&'a MemberId),
    /// All codes of a person.
    OfUser(&'a UserId),
    /// Codes of a person that were authorized outside this session.
    OutsideSession(&'a UserId, &'a SessionId),
    /// Codes that were authorized in this session.
    OfSession(&'a SessionId),
    /// Codes of the member and the client of an agent.
    OfAgent(&'a AgentId),
}

/// Deletes unused codes. Every function that ends tokens, agents or sessions calls this in its
/// transaction, because an unused code can still be exchanged for a token.
///
/// Locks the member's row first, as the exchange of a code and the consent do. So each code is either
/// already exchanged, and the caller revokes its agent, or it is deleted here.
pub(crate) async fn delete_unused(db: &Conn<'_>, unused: Unused<'_>) -> Result<()> {
    let (whose, which, values) = match unused {
        Unused::OfMember(id) => ("$1", "", vec![id.value()]),
        Unused::OfUser(id) => (OF_USER, "", vec![id.value()]),
        Unused::OutsideSession(id, family) => (
            OF_USER,
            "AND (family_id IS NULL OR family_id <> $2)",
            vec![id.value(), family.value()],
        ),
        Unused::OfSession(family) => (
            "SELECT m.id FROM members m JOIN session_families f ON f.user_id = m.user_id
             WHERE f.id = $1",
            "AND family_id = $1",
            vec![family.value()],
        ),
        Unused::OfAgent(id) => (
            "SELECT member_id FROM agents WHERE id = $1",
            "AND client_id = (SELECT client_id FROM agents WHERE id = $1)",
            vec![id.value()],
        ),
    };
    let lock = format!("UPDATE members SET active = active WHERE id IN ({whose})");
    db.run(&lock, values[..1].to_vec()).await?;
    let delete =
        format!("DELETE FROM oauth_codes WHERE used_at IS NULL AND member_id IN ({whose}) {which}");
    db.run(&delete, values).await?;
    Ok(())
}

const OF_USER: &str = "SELECT id FROM members WHERE user_id = $1";

pub(super) async fn delete_expired_codes(db: &Conn<'_>, now: Millis) -> Result<()> {
    let sql = "DELETE FROM oauth_codes WHERE expires_at <= $1";
    db.run(sql, [(now - KEPT).into()]).await?;
    Ok(())
}
