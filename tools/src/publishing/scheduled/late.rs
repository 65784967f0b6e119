//! Announces that the quota is available again, for late publications that the exhausted quota held up.

use domain::{
    PostState as State,
    time::{DAY, HOUR},
};
use gateway::{Result, jobs::JobContext};
use store::scheduled_posts::{self, ScheduledPost, Step};

use super::{
    meaning::Cause,
    network::reach,
    steps::{Next, announce_end},
};

/// Waits until the quota for a late publication is available again, and announces this once.
pub(super) async fn await_quota(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    let late_since = publication.finished_at.unwrap_or(publication.updated_at);
    if now >= late_since + 2 * DAY {
        return Ok(Next::Nothing);
    }
    let Ok(reached) = reach(services, publication).await? else {
        return Ok(Next::At(now + HOUR));
    };
    let api = &reached.network.api;
    let code = publication.provider_code.as_deref();
    let is_back = match api.quota_returns_at(code, late_since) {
        Some(at) if now < at => return Ok(Next::At(at)),
        Some(_) => true,
        // The time is unknown, so the network is asked for the remaining quota.
        None => match api.fetch_quota(reached.account()).await {
            Ok(Some(quota)) => !quota.is_exhausted(),
            Ok(None) => return Ok(Next::Nothing),
            Err(_) => false,
        },
    };
    if !is_back {
        return Ok(Next::At(now + HOUR));
    }
    let tx = services.db.begin().await?;
    let step = Step {
        code: Some(Cause::QuotaReturned.code()),
        ..Step::default()
    };
    let states = (State::Late, State::Late);
    if scheduled_posts::record_step(&tx.conn(), &publication.id, states, step, now).await? {
        announce_end(ctx, &tx, publication, State::Late).await?;
    }
    ctx.commit(tx).await?;
    Ok(Next::Nothing)
}
