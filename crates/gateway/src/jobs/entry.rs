//! Entries of the job table of an area.

use std::{fmt, time::Duration};

use futures::future::BoxFuture;

use super::{Backoff, Job, JobContext, JobOutcome, Schedule};
use crate::{Result, Services};

/// A job that the worker enqueues by itself.
pub(super) struct Scheduled {
    /// The interval; `None` if the job is enqueued whenever an instance starts.
    pub every: Option<Duration>,
    /// The payload as JSON text.
    pub payload: String,
    pub dedupe_key: Option<String>,
}

type Run = for<'a> fn(&'a str, &'a JobContext) -> BoxFuture<'a, Result<JobOutcome>>;

/// One job type.
#[derive(Clone, Copy)]
pub struct JobEntry {
    pub name: &'static str,
    pub(super) attempts: u32,
    pub(super) backoff: Backoff,
    pub(super) timeout: Duration,
    pub(super) most_at_once: usize,
    pub(super) at_most_once: bool,
    pub(super) reads_outbox: bool,
    pub(super) scheduled: fn(&Services) -> Result<Option<Scheduled>>,
    pub(super) runs_here: fn(&Services) -> bool,
    pub(super) run: Run,
}

impl JobEntry {
    #[must_use]
    pub const fn for_job<J: Job>() -> Self {
        Self {
            name: J::NAME,
            attempts: J::ATTEMPTS,
            backoff: J::BACKOFF,
            timeout: J::TIMEOUT,
            most_at_once: J::MOST_AT_ONCE,
            at_most_once: J::AT_MOST_ONCE,
            reads_outbox: J::READS_OUTBOX,
            scheduled: build_scheduled::<J>,
            runs_here: J::can_run_here,
            run: |payload, ctx| Box::pin(run::<J>(payload, ctx)),
        }
    }
}

fn build_scheduled<J: Job>(services: &Services) -> Result<Option<Scheduled>> {
    let (every, job) = match J::schedule(services) {
        Schedule::OnDemand => return Ok(None),
        Schedule::AtStart(job) => (None, job),
        Schedule::Every(every, job) => (Some(every), job),
    };
    Ok(Some(Scheduled {
        every,
        payload: serde_json::to_string(&job)?,
        dedupe_key: job.dedupe_key(),
    }))
}

async fn run<J: Job>(payload: &str, ctx: &JobContext) -> Result<JobOutcome> {
    let job: J = serde_json::from_str(payload)?;
    Ok(job.run(ctx).await)
}

/// Names are unique, so entries are equal if their names are.
impl PartialEq for JobEntry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for JobEntry {}

impl fmt::Debug for JobEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
