//! The job that counts what was written since.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use domain::time::{Millis, SECOND};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{Conn, Db, figures};

/// How long after a write its figures are counted, so that many writes are counted together.
const DELAY: Millis = 5 * SECOND;

/// How old a transaction may be that takes another step. Others wait for it.
const SHARED: Duration = Duration::from_millis(20);

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
        loop {
            let now = services.clock.now();
            if ctx.is_stopping() {
                return JobOutcome::Again(now);
            }
            let more = async {
                let tx = services.db.begin().await?;
                let more = figures::settle(&tx.conn(), now).await?;
                ctx.commit(tx).await?;
                Ok(more)
            };
            match more.await {
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

/// Counts all that is marked, now. Small steps share a commit.
pub async fn settle(db: &Db, now: Millis) -> Result<()> {
    loop {
        let begun = Instant::now();
        let tx = db.begin().await?;
        let mut more = figures::settle(&tx.conn(), now).await?;
        while more && begun.elapsed() < SHARED {
            more = figures::settle(&tx.conn(), now).await?;
        }
        tx.commit().await?;
        if !more {
            return Ok(());
        }
    }
}
