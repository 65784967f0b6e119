//! The job that counts what was written since.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use domain::time::{Millis, SECOND};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{Conn, Db, Tx, figures::Pass};

/// How long after a write its figures are counted, so that many writes are counted together.
const DELAY: Millis = 5 * SECOND;

/// How old a transaction may be that takes another step, if nobody waits for it.
const SHARED: Duration = Duration::from_millis(200);

/// Others have the writer this many times as long as a count that kept them waiting.
const OTHERS: u32 = 9;

/// How long a run of the job takes steps. Its next run goes on.
const RUN: Duration = Duration::from_secs(20);

/// Counts what is marked, in one small transaction after another.
#[derive(Serialize, Deserialize)]
pub struct SettleFigures {}

impl Job for SettleFigures {
    const NAME: &'static str = "settle_figures";

    /// A process may have ended between its writes and their count.
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
            match count(&services.db, &mut pass, now, |tx| ctx.commit(tx)).await {
                Ok(true) => {}
                outcome => return JobOutcome::of(outcome, now),
            }
        }
    }
}

/// Has what was written counted soon, in the transaction that writes it.
pub(crate) async fn settle_later(services: &Services, db: &Conn<'_>, now: Millis) -> Result<()> {
    let (job, due) = (SettleFigures {}, now + DELAY);
    job.enqueue_at(&services.queue, db, due, now)
        .await
        .map(drop)
}

/// Counts all that is marked, now.
pub async fn settle(db: &Db, now: Millis) -> Result<()> {
    let mut pass = Pass::default();
    while count(db, &mut pass, now, async |tx| Ok(tx.commit().await?)).await? {}
    Ok(())
}

/// Takes some steps of a pass in one transaction, a single one where others wait. Returns whether there
/// is more.
///
/// Then it leaves the writer to them for some time. Who writes in a loop would otherwise wait for a
/// step before each write.
async fn count(
    db: &Db,
    pass: &mut Pass,
    now: Millis,
    commit: impl AsyncFnOnce(Tx) -> Result<()>,
) -> Result<bool> {
    let (tx, begun) = (db.begin().await?, Instant::now());
    let goes_on = || begun.elapsed() < SHARED && tx.keeps_waiting().is_none();
    let more = pass.run(&tx.conn(), now, goes_on).await?;
    let kept = tx.keeps_waiting();
    commit(tx).await?;
    if let Some(kept) = kept {
        tokio::time::sleep(kept * OTHERS).await;
    }
    Ok(more)
}
