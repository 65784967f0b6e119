//! The job that indexes the texts of events for the search.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::events;

/// Indexes the texts written since the last run, in batches. Until then, a search reads these texts
/// directly.
#[derive(Serialize, Deserialize)]
pub struct IndexEvents;

impl Job for IndexEvents {
    const NAME: &'static str = "index_events";

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(60), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let services = ctx.services();
        loop {
            let now = services.clock.now();
            if ctx.is_stopping() {
                return JobOutcome::Again(now);
            }
            match index_some(ctx).await {
                Ok(true) => {}
                outcome => return JobOutcome::from_result(outcome, now),
            }
        }
    }
}

async fn index_some(ctx: &JobContext) -> Result<bool> {
    let tx = ctx.services().db.begin().await?;
    let more = events::index_pending(&tx.conn()).await?;
    ctx.commit(tx).await?;
    Ok(more)
}
