//! Responses of the token endpoint, and the token pairs in them.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;

use super::{AGENT, INVALID_GRANT, scopes};
use domain::{
    AgentId, AgentSecret, Error, TokenId, sha256_hex,
    time::{HOUR, Millis, SECOND},
};
use gateway::{Content, Context, Outcome, Reply, Result, actorless_row};
use store::{
    Conn,
    agents::{self, Agent, clients::Client, tokens},
    audit,
    members::Member,
};

/// The lifetime of an access token. Every request checks whether the agent is revoked, so a long
/// lifetime does not delay revocation. A short lifetime would disconnect clients that renew late.
const ACCESS: Millis = 24 * HOUR;

/// An access token and its refresh token.
pub(super) struct Pair {
    access: AgentSecret,
    pub refresh: Option<String>,
}

impl Pair {
    /// Generates the tokens of a new agent.
    pub(super) fn new(client: &Client) -> Self {
        Self {
            access: AgentSecret::generate(),
            refresh: client.renews.then(domain::random_text::<32>),
        }
    }

    /// Derives the successor pair of a refresh token. It is always the same pair, so it need not be
    /// stored in clear.
    pub(super) fn successor_of(ctx: &Context<'_>, refresh: &str) -> Self {
        let hmac = |purpose: &str| ctx.services.keys.hmac(purpose, refresh.as_bytes());
        Self {
            access: AgentSecret::from_bytes(
                &hmac("agent access name"),
                &hmac("agent access secret"),
            ),
            refresh: Some(URL_SAFE_NO_PAD.encode(hmac("agent refresh token"))),
        }
    }

    /// Stores the access token, or extends its lifetime if it is already stored.
    pub(super) async fn store_access(
        &self,
        ctx: &Context<'_>,
        db: &Conn<'_>,
        agent: &Agent,
    ) -> Result<()> {
        let (prefix, digest) = (self.access.prefix(), self.access.digest());
        let until = expiry(ctx, agent);
        Ok(tokens::save_access_token(db, prefix, &digest, &agent.id, until).await?)
    }

    /// Stores the hash of the refresh token.
    pub(super) async fn store_refresh(&self, db: &Conn<'_>, agent: &Agent) -> Result<()> {
        if let Some(refresh) = &self.refresh {
            let digest = sha256_hex(refresh.as_bytes());
            tokens::insert_refresh_token(db, &digest, &agent.id, agent.expires_at).await?;
        }
        Ok(())
    }

    /// Returns the token response (RFC 6749, section 5.1).
    pub(super) fn into_reply(self, ctx: &Context<'_>, agent: &Agent) -> Reply {
        let mut answer = json!({
            "access_token": self.access.reveal(),
            "token_type": "Bearer",
            "expires_in": (expiry(ctx, agent) - ctx.now) / SECOND,
            "scope": scopes::shortest_scope(agent.scopes),
        });
        if let Some(refresh) = self.refresh {
            answer["refresh_token"] = refresh.into();
        }
        json_reply(&answer)
    }
}

fn expiry(ctx: &Context<'_>, agent: &Agent) -> Millis {
    agent.expires_at.min(ctx.now + ACCESS)
}

/// Returns the error for an invalid code or refresh token. Every reason gets the same error.
pub(super) fn invalid_grant() -> Error {
    Error::new(INVALID_GRANT)
}

/// Returns a JSON response of an OAuth endpoint.
pub(super) fn json_reply(answer: &serde_json::Value) -> Reply {
    Reply::new(Content::Text(answer.to_string().into()))
        .with_header("content-type", "application/json")
}

/// Writes an audit row about an agent. The gateway cannot do it, because these requests have no
/// authenticated caller.
pub(super) async fn insert_audit_row(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    action: &'static str,
    agent: &Agent,
    member: &Member,
    outcome: Outcome,
) -> Result<()> {
    let mut row = actorless_row(action, ctx.origin, ctx.now).with_actor(member);
    row.auth_method = "connected_agent";
    row.token_id = TokenId::from_stored(agent.id.to_string());
    row.resource_type = Some(AGENT.kind);
    row.resource_id = Some(agent.id.to_string());
    row.metadata
        .insert("agent".into(), agent.client_name.as_str().into());
    let status = if outcome == Outcome::Succeeded {
        200
    } else {
        400
    };
    Ok(audit::insert(db, row.with_outcome(outcome, status)).await?)
}

/// Revokes the agent `replaced`, which `agent` replaces, if both belong to the same member and
/// client.
pub(super) async fn revoke_replaced(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    replaced: &AgentId,
    agent: &Agent,
    member: &Member,
) -> Result<()> {
    let Some(earlier) = agents::find_for_member(db, &member.id, replaced).await? else {
        return Ok(());
    };
    if earlier.client_id == agent.client_id
        && agents::revoke_replaced(db, replaced, ctx.now).await?
    {
        let action = "replace_agent";
        insert_audit_row(ctx, db, action, &earlier, member, Outcome::Succeeded).await?;
    }
    Ok(())
}

/// Revokes an agent whose code or refresh token was replayed.
pub(super) async fn revoke_replayed(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    agent: &Agent,
    member: &Member,
) -> Result<()> {
    if agents::revoke(db, &agent.id, ctx.now).await? {
        insert_audit_row(ctx, db, "agent_token_reuse", agent, member, Outcome::Denied).await?;
    }
    Ok(())
}
