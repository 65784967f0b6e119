//! Background work: jobs that are rows, and the worker that runs them.
//!
//! A job is enqueued in the transaction whose effect it belongs to, leased by one worker at a time,
//! and removed when it is done. A worker asks the database for work when a job is enqueued and when
//! one becomes due, and at no other time.

mod attempt;
mod detached;
mod entry;
mod job;
mod outcomes;
mod worker;
mod working;

use std::sync::Arc;

use tokio::sync::Notify;

use crate::Result;
use domain::{new_id, time::Millis};
use store::{Conn, jobs::NewJob};

pub use detached::Detached;
pub use entry::JobEntry;
pub use job::{Backoff, Job, JobContext, JobOutcome, Schedule};
pub use worker::Worker;

/// Where jobs are enqueued.
#[derive(Clone, Default)]
pub struct Jobs {
    /// Wakes the worker of this process.
    woken: Arc<Notify>,
}

impl Jobs {
    /// Enqueues a job in an open transaction: effect and job commit together, or neither does.
    ///
    /// `false` when a job with its key is queued already, which then stands for both.
    pub async fn enqueue<J: Job>(&self, db: &Conn<'_>, job: &J, now: Millis) -> Result<bool> {
        self.enqueue_at(db, job, now, now).await
    }

    /// The same for a job that is not to run before `due_at`.
    pub async fn enqueue_at<J: Job>(
        &self,
        db: &Conn<'_>,
        job: &J,
        due_at: Millis,
        now: Millis,
    ) -> Result<bool> {
        let (id, key) = (new_id(now), job.dedupe_key());
        let new = NewJob {
            id: &id,
            name: J::NAME,
            payload: &serde_json::to_string(job)?,
            dedupe_key: key.as_deref(),
            due_at,
        };
        let enqueued = store::jobs::insert(db, new, now).await?;
        // Over SQLite the worker's transaction waits for this one to end. PostgreSQL announces the
        // job at the commit, to this process too.
        self.woken.notify_one();
        Ok(enqueued)
    }
}
