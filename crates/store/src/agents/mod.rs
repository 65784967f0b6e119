//! Agents that members connect by OAuth.
//!
//! The functions that end tokens, agents and sessions also delete unused codes
//! (`codes::delete_unused`).

pub mod clients;
pub mod codes;
mod scopes;
mod sweep;
pub mod tokens;

use codes::Unused;
pub use sweep::delete_expired;

use super::{Bind, Conn, Row, latest};
use crate::Result;
use domain::{AgentId, Capabilities, ClientId, MemberId, time::Millis};

/// A connected agent: one consent of a member, with all tokens issued for it.
#[derive(Debug, Clone)]
pub struct Agent {
    pub id: AgentId,
    pub member_id: MemberId,
    pub client_id: ClientId,
    /// The client name in the client's own metadata.
    pub client_name: String,
    /// The host, or the scheme, of the redirect URI.
    pub redirect_host: String,
    pub scopes: Capabilities,
    /// The only resource URL that the agent's tokens are valid for.
    pub resource: String,
    pub created_at: Millis,
    pub expires_at: Millis,
    pub last_used_at: Option<Millis>,
    pub revoked_at: Option<Millis>,
}

fn read_row(row: &Row, prefix: &str) -> Result<Agent> {
    Ok(Agent {
        id: row.try_get(prefix, "id")?,
        member_id: row.try_get(prefix, "member_id")?,
        client_id: row.try_get(prefix, "client_id")?,
        client_name: row.try_get(prefix, "client_name")?,
        redirect_host: row.try_get(prefix, "redirect_host")?,
        scopes: scopes::parse(&row.try_get::<String>(prefix, "scopes")?)?,
        resource: row.try_get(prefix, "resource")?,
        created_at: row.try_get(prefix, "created_at")?,
        expires_at: row.try_get(prefix, "expires_at")?,
        last_used_at: row.try_get(prefix, "last_used_at")?,
        revoked_at: row.try_get(prefix, "revoked_at")?,
    })
}

const INSERT: &str = "
INSERT INTO agents (id, member_id, client_id, client_name, redirect_host, scopes, resource,
    created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

pub async fn insert(db: &Conn<'_>, agent: &Agent) -> Result<()> {
    let values = [
        agent.id.value(),
        agent.member_id.value(),
        agent.client_id.value(),
        agent.client_name.as_str().into(),
        agent.redirect_host.as_str().into(),
        scopes::to_json(agent.scopes)?.into(),
        agent.resource.as_str().into(),
        agent.created_at.into(),
        agent.expires_at.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

/// Finds a member's agent. Returns `None` if the agent belongs to another member.
pub async fn find_for_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    id: &AgentId,
) -> Result<Option<Agent>> {
    let sql = "SELECT * FROM agents WHERE id = $1 AND member_id = $2";
    let row = db.fetch_one(sql, [id.value(), member_id.value()]).await?;
    row.map(|row| read_row(&row, "")).transpose()
}

pub async fn find(db: &Conn<'_>, id: &AgentId) -> Result<Option<Agent>> {
    let row = db.fetch_one("SELECT * FROM agents WHERE id = $1", [id.value()]);
    row.await?.map(|row| read_row(&row, "")).transpose()
}

const LIST: &str = "
SELECT * FROM agents WHERE member_id = $1 AND (created_at < $2 OR created_at = $2 AND id < $3)
ORDER BY created_at DESC, id DESC LIMIT $4";

/// Lists a member's agents, newest first, after the position `after` (created_at, id); at most `probe`
/// rows.
pub async fn list_for_member(
    db: &Conn<'_>,
    member_id: &MemberId,
    after: Option<(Millis, AgentId)>,
    probe: i64,
) -> Result<Vec<Agent>> {
    let (at, id) = after.unwrap_or((Millis::MAX, AgentId::default()));
    let values = [member_id.value(), at.into(), id.value(), probe.into()];
    let rows = db.fetch_all(LIST, values).await?;
    rows.iter().map(|row| read_row(row, "")).collect()
}

/// Lists the active agents of a member that belong to this client.
pub async fn list_active_of_client(
    db: &Conn<'_>,
    member_id: &MemberId,
    client_id: &ClientId,
    now: Millis,
) -> Result<Vec<Agent>> {
    let sql = "SELECT * FROM agents WHERE member_id = $1 AND client_id = $2
               AND revoked_at IS NULL AND expires_at > $3 ORDER BY created_at, id";
    let rows = db.fetch_all(sql, [member_id.value(), client_id.value(), now.into()]);
    rows.await?.iter().map(|row| read_row(row, "")).collect()
}

/// Lists up to 20 agents per member, active ones first, then by age, newest first.
pub async fn list_latest_of_members(
    db: &Conn<'_>,
    member_ids: &[MemberId],
    now: Millis,
) -> Result<Vec<Agent>> {
    let rows = latest::list_latest_of_members(db, "agents", member_ids, now).await?;
    rows.iter().map(|row| read_row(row, "")).collect()
}

/// Revokes an agent with all its tokens, and deletes the unused codes of its client. Returns
/// `false` if the agent was already revoked.
pub async fn revoke(db: &Conn<'_>, id: &AgentId, now: Millis) -> Result<bool> {
    codes::delete_unused(db, Unused::OfAgent(id)).await?;
    revoke_replaced(db, id, now).await
}

/// Revokes an agent that a new one replaces. Keeps the unused codes, because they may belong to
/// another device with the same client.
pub async fn revoke_replaced(db: &Conn<'_>, id: &AgentId, now: Millis) -> Result<bool> {
    let sql = "UPDATE agents SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
    Ok(db.run(sql, [id.value(), now.into()]).await? == 1)
}

/// Revokes all active agents of a member and deletes the unused codes. Returns the ids of the
/// agents.
pub(crate) async fn revoke_all(
    db: &Conn<'_>,
    member_id: &MemberId,
    now: Millis,
) -> Result<Vec<AgentId>> {
    codes::delete_unused(db, Unused::OfMember(member_id)).await?;
    let sql = "UPDATE agents SET revoked_at = $2
               WHERE member_id = $1 AND revoked_at IS NULL AND expires_at > $2 RETURNING id";
    let rows = db.fetch_all(sql, [member_id.value(), now.into()]).await?;
    let ids = rows.iter().map(|row| row.try_get("", "id"));
    Ok(ids.collect::<std::result::Result<_, _>>()?)
}
