//! The job that counts the rows written since its last run.
//!
//! A transaction counts rows in small steps for up to 200 ms, but runs only one step if other
//! writers wait. The job then leaves the write connection to them for nine times as long as it
//! blocked them.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use domain::time::{Millis, SECOND};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{Conn, Db, Tx, figures::Pass};

/// The delay between a write and the counting of its figures. The delay lets many writes be counted
/// together.
const DELAY: Millis = 5 * SECOND;

/// A transaction that is older than this runs no further step. If other writers wait, a transaction ends
/// after one step.
const SHARED: Duration = Duration::from_millis(200);

/// After a count that blocked other writers, the job pauses this many times as long as it blocked
/// them.
const OTHERS: u32 = 9;

/// The maximum time that one run of the job counts rows. The next run continues.
const RUN: Duration = Duration::from_secs(20);

/// Counts the marked rows in a sequence of small transactions.
#[derive(Serialize, Deserialize)]
pub struct SettleFigures {}

impl Job for SettleFigures {
    const NAME: &'static str = "settle_figures";

    /// Runs at startup, because a process may have ended before its writes were counted.
    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::AtStart(Self {})
    }

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let services = ctx.services();
        let (mut pass, begun) = (Pass::default(), Instant::now());
        loop {
            let now = services.clock.now();
            if ctx.is_stopping() || begun.elapsed() > RUN {
                return JobOutcome::Again(now);
            }
            match count_in_transaction(&services.db, &mut pass, now, |tx| ctx.commit(tx)).await {
                Ok(true) => {}
                outcome => return JobOutcome::from_result(outcome, now),
            }
        }
    }
}

/// Enqueues the job that counts the rows that this transaction writes.
pub(crate) async fn enqueue_settling(
    services: &Services,
    db: &Conn<'_>,
    now: Millis,
) -> Result<()> {
    let (job, due) = (SettleFigures {}, now + DELAY);
    job.enqueue_at(&services.queue, db, due, now)
        .await
        .map(drop)
}

/// Counts all marked rows now.
pub async fn count_marked_rows(db: &Db, now: Millis) -> Result<()> {
    let mut pass = Pass::default();
    while count_in_transaction(db, &mut pass, now, async |tx| Ok(tx.commit().await?)).await? {}
    Ok(())
}

/// Runs some steps of a pass in one transaction, but only one step if other writers wait. Returns
/// true if there are more steps.
///
/// After blocking other writers, this function leaves the write connection to them for some time.
/// Otherwise a caller that writes in a loop would wait for a step before each write.
async fn count_in_transaction(
    db: &Db,
    pass: &mut Pass,
    now: Millis,
    commit: impl AsyncFnOnce(Tx) -> Result<()>,
) -> Result<bool> {
    let (tx, begun) = (db.begin().await?, Instant::now());
    let goes_on = || begun.elapsed() < SHARED && tx.time_blocking_others().is_none();
    let more = pass.run(&tx.conn(), now, goes_on).await?;
    let kept = tx.time_blocking_others();
    commit(tx).await?;
    if let Some(kept) = kept {
        tokio::time::sleep(kept * OTHERS).await;
    }
    Ok(more)
}
