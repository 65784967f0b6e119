//! What a job is.

use std::{sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use tokio_util::sync::CancellationToken;

use crate::{Error, Gateway, Queue, Result, Services};
use domain::{
    Code, new_id,
    time::{MINUTE, Millis},
};
use store::{
    Conn, Tx,
    jobs::{Lease, NewJob},
};

/// For how long a claimed job is left to its worker.
pub(super) const LEASE: Millis = MINUTE;

/// Work in the background.
///
/// Its fields are the payload, kept as JSON in the database: ids and plain values, never a secret.
/// A job may run more than once, for instance after its process died. One whose effect must not
/// be repeated says so (`AT_MOST_ONCE`).
pub trait Job: Serialize + DeserializeOwned + Send + 'static {
    /// snake_case; also the id of the row of a recurring job.
    const NAME: &'static str;

    /// Attempts before the job has failed.
    const ATTEMPTS: u32 = 10;

    /// How long to wait between attempts.
    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(5),
        longest: Duration::from_secs(600),
    };

    /// For how long one attempt may run.
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Its effect is never repeated blindly: an attempt that was lost, panicked or timed out leaves
    /// the job `unknown`, and it is not run again.
    const AT_MOST_ONCE: bool = false;

    /// Whether it is enqueued by itself.
    #[must_use]
    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::OnDemand
    }

    /// At most one job of a key is queued, and at most one runs.
    fn dedupe_key(&self) -> Option<String> {
        None
    }

    /// Whether this instance can run it.
    fn runs_here(_: &Services) -> bool {
        true
    }

    fn run(self, ctx: &JobContext) -> impl Future<Output = JobOutcome> + Send;

    /// Enqueues it in an open transaction: effect and job commit together, or neither does.
    ///
    /// `false` when a job with its key is queued already, which then stands for both.
    fn enqueue(
        &self,
        queue: &Queue,
        db: &Conn<'_>,
        now: Millis,
    ) -> impl Future<Output = Result<bool>> + Send
    where
        Self: Sync,
    {
        self.enqueue_at(queue, db, now, now)
    }

    /// The same for a job that is not to run before `due_at`.
    fn enqueue_at(
        &self,
        queue: &Queue,
        db: &Conn<'_>,
        due_at: Millis,
        now: Millis,
    ) -> impl Future<Output = Result<bool>> + Send
    where
        Self: Sync,
    {
        async move {
            let (id, key) = (new_id(now), self.dedupe_key());
            let new = NewJob {
                id: &id,
                name: Self::NAME,
                payload: &serde_json::to_string(self)?,
                dedupe_key: key.as_deref(),
                due_at,
            };
            queue.put(db, new, now).await
        }
    }
}

/// When a job is enqueued by itself.
pub enum Schedule<J> {
    OnDemand,
    /// Whenever an instance starts.
    AtStart(J),
    /// Again and again, by one instance at a time.
    Every(Duration, J),
}

/// How a run of a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    Done,
    /// There is more to do from this instant on; attempts are counted anew.
    Again(Millis),
    /// Nothing came of it: again after the backoff, and not before this instant.
    Retry(Code, Option<Millis>),
    /// Not to be tried again.
    Failed(Code),
    /// The effect may have happened. It is not run again.
    Unknown(Code),
}

impl JobOutcome {
    /// Done, or another attempt.
    #[must_use]
    pub fn of<T>(ran: Result<T>, now: Millis) -> Self {
        let Err(error) = ran else { return Self::Done };
        let source = std::error::Error::source(&error).map(tracing::field::display);
        tracing::warn!(%error, source, "the job has failed");
        Self::retry(&error, now)
    }

    /// Another attempt, no earlier than the error says.
    #[must_use]
    pub fn retry(error: &Error, now: Millis) -> Self {
        let wait = error.wait().map(Duration::from_secs);
        Self::Retry(error.code, wait.map(|wait| now + millis(wait)))
    }

    /// The name in metrics and logs.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Again(_) => "again",
            Self::Retry(..) => "retry",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
        }
    }

    pub(super) const fn code(self) -> Option<Code> {
        match self {
            Self::Done | Self::Again(_) => None,
            Self::Retry(code, _) | Self::Failed(code) | Self::Unknown(code) => Some(code),
        }
    }
}

/// The waits between attempts: each twice as long as the one before.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    pub first: Duration,
    pub longest: Duration,
}

impl Backoff {
    /// The wait after this many attempts. `chance` spreads the waits over the upper half, so that
    /// jobs that failed together do not come back together.
    #[must_use]
    pub fn after(self, attempts: i64, chance: u32) -> Duration {
        let doublings = u32::try_from(attempts.clamp(1, 32) - 1).unwrap_or_default();
        let whole = self.first.saturating_mul(1 << doublings);
        let half = whole.min(self.longest) / 2;
        half + half.mul_f64(f64::from(chance) / f64::from(u32::MAX))
    }
}

/// One run of a job.
pub struct JobContext {
    pub(super) gateway: Arc<Gateway>,
    pub(super) lease: Lease,
    pub(super) stopping: CancellationToken,
    /// This one included.
    pub attempt: i64,
    /// When the run began.
    pub now: Millis,
}

impl JobContext {
    #[must_use]
    pub fn services(&self) -> &Services {
        &self.gateway.services
    }

    /// Whether the service stops: a long job leaves the rest to its next run (`Again`).
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Commits what the job has written, if its lease still holds, and extends the lease.
    ///
    /// Refused when another worker has taken the job over: nothing is written then.
    pub async fn commit(&self, tx: Tx) -> Result<()> {
        let until = self.gateway.now() + LEASE;
        let leases = std::slice::from_ref(&self.lease);
        if store::jobs::renew(&tx.conn(), leases, until)
            .await?
            .is_empty()
        {
            return Err(Error::internal("the lease of the job was lost"));
        }
        Ok(tx.commit().await?)
    }
}

pub(super) fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_differ_by_chance() {
        let seconds = Duration::from_secs;
        let backoff = Backoff {
            first: seconds(5),
            longest: seconds(60),
        };
        let longest = [1, 2, 3, 4, 5, 60].map(|attempts| backoff.after(attempts, u32::MAX));
        assert_eq!(longest, [5, 10, 20, 40, 60, 60].map(seconds));
        let shortest = [1, 2, 60].map(|attempts| backoff.after(attempts, 0));
        assert_eq!(shortest, [2_500, 5_000, 30_000].map(Duration::from_millis));
        let between = backoff.after(1, u32::MAX / 2);
        assert!(seconds(3) < between && between < seconds(4), "{between:?}");
    }
}
