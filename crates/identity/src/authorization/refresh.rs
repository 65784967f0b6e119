//! Renewal: each refresh token is exchanged once and has one pair of successors.
//!
//! A token is *unused*, *just used* (for [`GRACE`] after its first use), or *spent*. Renewing with
//! an unused token makes it just used and creates its unused successor. Renewing with a just used
//! token changes nothing and repeats the newest pair, because a client may lose an answer or ask
//! twice at the same time from two addresses. Renewing with a spent token is a replay and ends the
//! agent, because two parties have had that token. So a thief who copies a token ends the agent,
//! unless both parties always renew within [`GRACE`] of each other.
//!
//! The pair of tokens that follows a refresh token is an HMAC of it. Matrix Authentication Service
//! repeats until one of the pair is used; then a thief who renews and waits shares the pair with
//! its owner for ever. Here two parties can share one for ten seconds. Fifty renewals at once leave
//! one pair. The pair that is repeated may be that of a later renewal: the pair in between would
//! give the client a token that ends the agent at its next use.

use super::{
    grants::{self, Pair, refused},
    resource,
};
use domain::{
    Result, sha256_hex,
    time::{Millis, SECOND},
};
use gateway::{Attempt, Context, Error, Known, Outcome, Reply, attempted};
use store::{
    Conn,
    agents::{
        self, Agent,
        clients::Client,
        tokens::{self, Refresh},
    },
    members::{self, Member},
};

/// How long after its first use a refresh token may be repeated.
const GRACE: Millis = 10 * SECOND;
/// Maximum number of renewals in a row within [`GRACE`].
const MOST_IN_GRACE: usize = 16;

/// Exchanges a refresh token.
///
/// Refused (400) for a token that is unknown, no longer valid, or another client's. A token first
/// used more than [`GRACE`] ago was stolen or copied, and ends the agent.
pub(super) async fn run(ctx: &Context<'_>, client: &Client, token: &str) -> Result<Reply> {
    let digest = sha256_hex(token.as_bytes());
    // A reader checks the token first, so that unauthenticated requests do not occupy the writer.
    let (.., member) = require(ctx, &ctx.services.db.reader(), client, &digest).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    // The member is locked before the agent, in the same order as in everything that ends agents.
    members::lock_member(&db, &member.id).await?;
    let (refresh, agent, member) = require(ctx, &db, client, &digest).await?;
    if refresh.used_at.is_some_and(|at| at + GRACE < ctx.now) {
        grants::end_replayed(ctx, &db, &agent, &member).await?;
        tx.commit().await?;
        return Err(refused());
    }
    let pair = if tokens::mark_refresh_used(&db, &digest, ctx.now).await? {
        let pair = Pair::after(ctx, token);
        pair.keep_refresh(&db, &agent).await?;
        let action = "renew_agent_token";
        grants::note(ctx, &db, action, &agent, &member, Outcome::Succeeded).await?;
        pair
    } else {
        newest(ctx, &db, token).await?
    };
    pair.keep_access(ctx, &db, &agent).await?;
    tx.commit().await?;
    Ok(pair.reply(ctx, &agent))
}

/// The pair whose refresh token is unused.
///
/// This may not be the direct successor of the token, because that refresh token may also have been
/// exchanged since. Returning a used token would end the agent at its next renewal. So this follows
/// the chain to the newest pair, the same one that presenting the successor now would give.
async fn newest(ctx: &Context<'_>, db: &Conn<'_>, used: &str) -> Result<Pair> {
    let mut token = used.to_owned();
    for _ in 0..MOST_IN_GRACE {
        let pair = Pair::after(ctx, &token);
        let successor = pair.refresh.clone().ok_or_else(refused)?;
        let stored = tokens::find_refresh(db, &sha256_hex(successor.as_bytes())).await?;
        if stored.ok_or_else(refused)?.used_at.is_none() {
            return Ok(pair);
        }
        token = successor;
    }
    Err(refused())
}

/// The token with its agent and member, if all of them are in force.
async fn require(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    client: &Client,
    digest: &str,
) -> Result<(Refresh, Agent, Member)> {
    let refresh = tokens::find_refresh(db, digest)
        .await?
        .ok_or_else(refused)?;
    let agent = agents::find(db, &refresh.agent_id).await?;
    let agent = agent.ok_or_else(refused)?;
    let member = members::require(db, &agent.member_id).await?;
    let is_current = agent.resource == resource(&ctx.services.public_url);
    let in_force = agent.revoked_at.is_none() && refresh.expires_at > ctx.now && member.active;
    if in_force && is_current && agent.client_id == client.id {
        return Ok((refresh, agent, member));
    }
    Err(denied(ctx, &agent, member))
}

fn denied(ctx: &Context<'_>, agent: &Agent, member: Member) -> Error {
    let error = refused();
    let known = Known {
        member,
        token_id: domain::TokenId::stored(agent.id.to_string()),
        is_agent: true,
    };
    let row = attempted(Attempt::Operation(ctx.spec), ctx.origin, ctx.now);
    let reads = &ctx.services.reads;
    reads.denied(&known, &error, row, ctx.origin);
    error
}
