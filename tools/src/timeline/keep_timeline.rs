//! The job that creates the partitions of the coming months and deletes data older than the retention.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use domain::time::Month;
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::timeline;

/// The number of whole months before the current month for which events and e-mail deliveries are kept.
pub struct Retention(pub i16);

/// The maximum number of rows that one transaction deletes.
const BATCH: i64 = 5_000;

/// Prepares the partitions of the next months, and deletes events, sessions and e-mail deliveries
/// that are older than the retention.
#[derive(Serialize, Deserialize)]
pub struct KeepTimeline;

impl Job for KeepTimeline {
    const NAME: &'static str = "keep_timeline";
    const TIMEOUT: Duration = Duration::from_secs(600);

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(24 * 3_600), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        match maintain_partitions(ctx).await {
            Ok(true) => JobOutcome::Done,
            Ok(false) => JobOutcome::Again(ctx.now),
            Err(error) => JobOutcome::from_result(Err::<(), _>(error), ctx.now),
        }
    }
}

/// Creates partitions and deletes old data. Returns false if it ended early because the service is
/// stopping; the next run continues.
async fn maintain_partitions(ctx: &JobContext) -> Result<bool> {
    let services = ctx.services();
    let this_month = Month::from_instant(ctx.now);
    let ahead =
        (0..=timeline::MONTHS_AHEAD).map(|months| this_month.plus_months(months).first_instant());
    let tx = services.db.begin().await?;
    timeline::prepare_partitions(&tx.conn(), ahead).await?;
    ctx.commit(tx).await?;

    let Retention(months) = services.parts.get::<Retention>();
    let before = this_month.plus_months(-months).first_instant();
    loop {
        let tx = services.db.begin().await?;
        let deleted = timeline::delete_old_data(&tx.conn(), before, BATCH).await?;
        ctx.commit(tx).await?;
        if deleted == 0 {
            return Ok(true);
        }
        if ctx.is_stopping() {
            return Ok(false);
        }
    }
}
