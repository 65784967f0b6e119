//! The job that indexes texts for the searches.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{Conn, events, fill_search_texts, searching};

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
            match index_in_transaction(ctx).await {
                Ok(true) => {}
                outcome => return JobOutcome::from_result(outcome, now),
            }
        }
    }
}

async fn index_in_transaction(ctx: &JobContext) -> Result<bool> {
    let tx = ctx.services().db.begin().await?;
    let more = index_batch(&tx.conn()).await?;
    ctx.commit(tx).await?;
    Ok(more)
}

/// Indexes a batch of the first kind of text that still has texts to index. Returns true if further
/// texts may remain.
async fn index_batch(db: &Conn<'_>) -> Result<bool> {
    Ok(events::index_pending(db).await?
        || fill_search_texts(db).await?
        || searching::index_pending(db).await?)
}
