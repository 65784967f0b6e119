//! Renewal of an agent's tokens: each refresh token is exchanged once and has one successor pair.
//!
//! A token is *unused*, *just used* (for [`GRACE`] after its first use), or *spent*. Renewing with
//! an unused token makes it just used and creates its unused successor. Renewing with a just used
//! token changes nothing and returns the newest pair, because a client may lose a response, or send
//! two requests at the same time. Renewing with a spent token is a replay and revokes the agent,
//! because two parties have had that token. So copying a token leads to the revocation of the
//! agent, unless thief and owner always renew within [`GRACE`] of each other.
//!
//! The successor pair is an HMAC of the refresh token. Matrix Authentication Service returns the same
//! pair until one of its tokens is used; a thief who renews and waits can then share the pair with the
//! owner indefinitely. Here two parties can share a pair for ten seconds. Fifty simultaneous renewals
//! create one pair. The returned pair may come from a later renewal, because the pairs in between have
//! used refresh tokens, which would revoke the agent at their next use.

use super::{
    grants::{self, Pair, invalid_grant},
    mcp_endpoint_url,
};
use domain::{
    Result, sha256_hex,
    time::{Millis, SECOND},
};
use gateway::{Attempt, Context, Error, Known, Outcome, Reply, attempt_row};
use store::{
    Conn,
    agents::{
        self, Agent,
        clients::Client,
        tokens::{self, Refresh},
    },
    members::{self, Member},
};

/// The time after its first use during which a refresh token may be used again.
const GRACE: Millis = 10 * SECOND;
/// Maximum number of consecutive renewals within [`GRACE`].
const MOST_IN_GRACE: usize = 16;

/// Exchanges a refresh token.
///
/// Fails with 400 if the token is unknown, no longer valid, or was issued to another client. A
/// token that was first used more than [`GRACE`] ago was stolen or copied, and its agent is
/// revoked.
pub(super) async fn run(ctx: &Context<'_>, client: &Client, token: &str) -> Result<Reply> {
    let digest = sha256_hex(token.as_bytes());
    // A read connection checks the token first, so that unauthenticated requests do not occupy the
    // writer.
    let (.., member) = require_valid_token(ctx, &ctx.services.db.reader(), client, &digest).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    // The member is locked before the agent: all operations that revoke agents use this order.
    members::lock_member(&db, &member.id).await?;
    let (refresh, agent, member) = require_valid_token(ctx, &db, client, &digest).await?;
    if refresh.used_at.is_some_and(|at| at + GRACE < ctx.now) {
        grants::revoke_replayed(ctx, &db, &agent, &member).await?;
        tx.commit().await?;
        return Err(invalid_grant());
    }
    let pair = if tokens::mark_refresh_token_used(&db, &digest, ctx.now).await? {
        let pair = Pair::successor_of(ctx, token);
        pair.store_refresh(&db, &agent).await?;
        let action = "renew_agent_token";
        grants::insert_audit_row(ctx, &db, action, &agent, &member, Outcome::Succeeded).await?;
        pair
    } else {
        newest_pair(ctx, &db, token).await?
    };
    pair.store_access(ctx, &db, &agent).await?;
    tx.commit().await?;
    Ok(pair.into_reply(ctx, &agent))
}

/// Returns the newest successor pair, whose refresh token is unused.
///
/// The direct successor may have been exchanged too, and returning a used token would revoke the agent
/// at its next renewal. So this function follows the chain of successors to its end. A renewal with the
/// direct successor would return the same pair.
async fn newest_pair(ctx: &Context<'_>, db: &Conn<'_>, used: &str) -> Result<Pair> {
    let mut token = used.to_owned();
    for _ in 0..MOST_IN_GRACE {
        let pair = Pair::successor_of(ctx, &token);
        let successor = pair.refresh.clone().ok_or_else(invalid_grant)?;
        let stored = tokens::find_refresh_token(db, &sha256_hex(successor.as_bytes())).await?;
        if stored.ok_or_else(invalid_grant)?.used_at.is_none() {
            return Ok(pair);
        }
        token = successor;
    }
    Err(invalid_grant())
}

/// Returns the token with its agent and member if all three are valid.
async fn require_valid_token(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    client: &Client,
    digest: &str,
) -> Result<(Refresh, Agent, Member)> {
    let refresh = tokens::find_refresh_token(db, digest)
        .await?
        .ok_or_else(invalid_grant)?;
    let agent = agents::find(db, &refresh.agent_id).await?;
    let agent = agent.ok_or_else(invalid_grant)?;
    let member = members::require(db, &agent.member_id).await?;
    let is_current = agent.resource == mcp_endpoint_url(&ctx.services.public_url);
    let in_force = agent.revoked_at.is_none() && refresh.expires_at > ctx.now && member.active;
    if in_force && is_current && agent.client_id == client.id {
        return Ok((refresh, agent, member));
    }
    Err(record_denial(ctx, &agent, member))
}

fn record_denial(ctx: &Context<'_>, agent: &Agent, member: Member) -> Error {
    let error = invalid_grant();
    let known = Known::by_agent(member, agent.id.as_str().into());
    let row = attempt_row(Attempt::Operation(ctx.spec), ctx.origin, ctx.now);
    let reads = &ctx.services.reads;
    reads.record_denial(&known, &error, row, ctx.origin);
    error
}
