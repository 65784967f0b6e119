//! Renewal: each refresh token can be exchanged once; the answer can be repeated until it is used.

use super::{
    grants::{self, Pair, refused},
    resource,
};
use domain::{Result, sha256_hex};
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

/// Exchanges a refresh token.
///
/// A client may lose the answer, or ask twice at once from two addresses. So the tokens that follow a
/// refresh token are derived from it, and are given again as long as none of them was used. Refused
/// (400) for a token that is unknown, over, or another client's; one whose successors were used was
/// stolen or copied, and ends the agent.
pub(super) async fn run(ctx: &Context<'_>, client: &Client, token: &str) -> Result<Reply> {
    let digest = sha256_hex(token.as_bytes());
    // Checked on a reader first, so that unauthenticated requests do not take the writer.
    let (refresh, ..) = require(ctx, &ctx.services.db.reader(), client, &digest).await?;
    let tx = ctx.begin().await?;
    let db = tx.conn();
    agents::queue_for(&db, &refresh.agent_id).await?;
    let (_, agent, member) = require(ctx, &db, client, &digest).await?;
    let pair = Pair::after(ctx, token);
    if tokens::use_refresh(&db, &digest, ctx.now).await? {
        pair.keep_refresh(&db, &agent).await?;
        let action = "renew_agent_token";
        grants::note(ctx, &db, action, &agent, &member, Outcome::Succeeded).await?;
    } else if !is_unused(&db, &pair).await? {
        grants::end_replayed(ctx, &db, &agent, &member).await?;
        tx.commit().await?;
        return Err(refused());
    }
    pair.keep_access(ctx, &db, &agent).await?;
    tx.commit().await?;
    Ok(pair.reply(ctx, &agent))
}

/// Whether none of these tokens has been used.
async fn is_unused(db: &Conn<'_>, pair: &Pair) -> Result<bool> {
    let successor = pair.refresh.as_deref().unwrap_or_default();
    let successor = tokens::find_refresh(db, &sha256_hex(successor.as_bytes())).await?;
    let access = tokens::find_presented(db, pair.access_prefix()).await?;
    Ok(successor.is_some_and(|token| token.used_at.is_none())
        && access.is_some_and(|token| token.first_used_at.is_none()))
}

/// The token with its agent and member, where all of them are in force.
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
    reads.denied(&known, &error, row, ctx.origin.door);
    error
}
