//! Access and refresh tokens of connected agents, stored by their hashes.

use super::{Agent, read_row};
use crate::{
    Bind, Conn, Result,
    members::{self, Member},
};
use domain::{AgentId, time::Millis};

/// A stored access token, with its agent and member.
pub struct Presented {
    pub secret_sha256: String,
    pub expires_at: Millis,
    pub agent: Agent,
    pub member: Member,
}

const PRESENTED: &str = "
SELECT t.secret_sha256 AS t_secret_sha256, t.expires_at AS t_expires_at,
       a.id AS a_id, a.member_id AS a_member_id, a.client_id AS a_client_id, a.client_name AS a_client_name,
       a.redirect_host AS a_redirect_host, a.scopes AS a_scopes, a.resource AS a_resource,
       a.created_at AS a_created_at, a.expires_at AS a_expires_at,
       a.last_used_at AS a_last_used_at, a.revoked_at AS a_revoked_at, m.*
FROM agent_access_tokens t JOIN agents a ON a.id = t.agent_id JOIN members m ON m.id = a.member_id
WHERE t.prefix = $1";

/// Finds an access token by its prefix with one indexed query, because every request of an agent
/// runs it.
pub async fn find_by_prefix(db: &Conn<'_>, prefix: &str) -> Result<Option<Presented>> {
    let Some(row) = db.fetch_one(PRESENTED, [prefix.into()]).await? else {
        return Ok(None);
    };
    Ok(Some(Presented {
        secret_sha256: row.try_get("t_", "secret_sha256")?,
        expires_at: row.try_get("t_", "expires_at")?,
        agent: read_row(&row, "a_")?,
        member: members::read_row(&row, "")?,
    }))
}

/// Stores an access token, or updates the expiry of a stored one.
pub async fn save_access_token(
    db: &Conn<'_>,
    prefix: &str,
    secret_sha256: &str,
    agent_id: &AgentId,
    expires_at: Millis,
) -> Result<()> {
    let sql = "INSERT INTO agent_access_tokens (prefix, secret_sha256, agent_id, expires_at)
               VALUES ($1, $2, $3, $4)
               ON CONFLICT (prefix) DO UPDATE SET expires_at = excluded.expires_at";
    let values = [
        prefix.into(),
        secret_sha256.into(),
        agent_id.value(),
        expires_at.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// A stored refresh token.
pub struct Refresh {
    pub agent_id: AgentId,
    pub expires_at: Millis,
    pub used_at: Option<Millis>,
}

pub async fn find_refresh_token(db: &Conn<'_>, token_sha256: &str) -> Result<Option<Refresh>> {
    let sql = "SELECT agent_id, expires_at, used_at FROM agent_refresh_tokens
               WHERE token_sha256 = $1";
    let Some(row) = db.fetch_one(sql, [token_sha256.into()]).await? else {
        return Ok(None);
    };
    Ok(Some(Refresh {
        agent_id: row.try_get("", "agent_id")?,
        expires_at: row.try_get("", "expires_at")?,
        used_at: row.try_get("", "used_at")?,
    }))
}

pub async fn insert_refresh_token(
    db: &Conn<'_>,
    token_sha256: &str,
    agent_id: &AgentId,
    expires_at: Millis,
) -> Result<()> {
    let sql = "INSERT INTO agent_refresh_tokens (token_sha256, agent_id, expires_at)
               VALUES ($1, $2, $3)";
    let values = [token_sha256.into(), agent_id.value(), expires_at.into()];
    db.run(sql, values).await?;
    Ok(())
}

/// Marks a refresh token as used. Returns `false` if the token was used before.
pub async fn mark_refresh_token_used(
    db: &Conn<'_>,
    token_sha256: &str,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE agent_refresh_tokens SET used_at = $2
               WHERE token_sha256 = $1 AND used_at IS NULL";
    Ok(db.run(sql, [token_sha256.into(), now.into()]).await? == 1)
}

/// Deletes the tokens of expired agents. Used refresh tokens are kept until then, so that their
/// reuse is detected.
pub(super) async fn delete_expired_tokens(db: &Conn<'_>, now: Millis) -> Result<()> {
    for sql in [
        "DELETE FROM agent_access_tokens
         WHERE agent_id IN (SELECT id FROM agents WHERE expires_at <= $1)",
        "DELETE FROM agent_refresh_tokens
         WHERE agent_id IN (SELECT id FROM agents WHERE expires_at <= $1)",
    ] {
        db.run(sql, [now.into()]).await?;
    }
    Ok(())
}
