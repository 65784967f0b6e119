//! The `Job` trait.

use std::{sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use tokio_util::sync::CancellationToken;

use super::Host;
use crate::{Error, Queue, Result, Services};
use domain::{
    Code, JobId,
    time::{MINUTE, Millis},
};
use store::{
    Conn, Tx,
    jobs::{Lease, NewJob},
};

/// The duration of a lease.
pub(super) const LEASE: Millis = MINUTE;

/// A type of background job.
///
/// The fields are the payload, stored as JSON in the database: ids and plain values, never a
/// secret. A job may run more than once, for example after a crash of its process. A job whose
/// effect must not be repeated sets `AT_MOST_ONCE`.
///
/// ```
/// use gateway::{
///     Area,
///     jobs::{Job, JobContext, JobEntry, JobOutcome},
/// };
/// use serde::{Deserialize, Serialize};
///
/// /// Deletes the notes of one member.
/// #[derive(Serialize, Deserialize)]
/// struct DeleteNotes {
///     member_id: String,
/// }
///
/// impl Job for DeleteNotes {
///     const NAME: &'static str = "delete_notes";
///
///     fn dedupe_key(&self) -> Option<String> {
///         Some(self.member_id.clone())
///     }
///
///     async fn run(self, ctx: &JobContext) -> JobOutcome {
///         // Deletes a batch of notes. During a shutdown, the next run deletes the rest.
///         if ctx.is_stopping() {
///             return JobOutcome::Again(ctx.services().clock.now());
///         }
///         JobOutcome::Done
///     }
/// }
///
/// static AREA: Area =
///     Area::new("notes", "Notas.").jobs(&[JobEntry::for_job::<DeleteNotes>()]);
/// assert_eq!(AREA.jobs.len(), 1);
/// ```
pub trait Job: Serialize + DeserializeOwned + Send + 'static {
    /// The name in snake_case; also the row id of a recurring job.
    const NAME: &'static str;

    /// Maximum number of attempts before the job fails.
    const ATTEMPTS: u32 = 10;

    /// The backoff between attempts.
    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(5),
        longest: Duration::from_secs(600),
    };

    /// The timeout of one attempt.
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Maximum number of jobs of this type that one instance runs at the same time, so that slow
    /// jobs leave room for other types.
    const MOST_AT_ONCE: usize = usize::MAX;

    /// If true, the job is never retried after an attempt that may have had an effect: if an
    /// attempt is lost, panics or times out, the job becomes `unknown`.
    const AT_MOST_ONCE: bool = false;

    /// If true, the recurring job also runs soon after a row is written to the outbox. Such a job
    /// adds the change marks for open pages itself; for all other jobs, the worker adds them.
    const READS_OUTBOX: bool = false;

    /// Returns when the worker enqueues the job by itself.
    #[must_use]
    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::OnDemand
    }

    /// Returns the deduplication key. At most one job with the same key is queued, and at most one
    /// runs.
    fn dedupe_key(&self) -> Option<String> {
        None
    }

    /// True if this instance can run the job.
    fn can_run_here(_: &Services) -> bool {
        true
    }

    fn run(self, ctx: &JobContext) -> impl Future<Output = JobOutcome> + Send;

    /// Enqueues the job in an open transaction, so that the write and its job commit together or
    /// not at all.
    ///
    /// Returns `false` if a job with the same key is already queued.
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

    /// Enqueues the job in an open transaction. If a job with the same key already waits for a
    /// later time, the waiting job becomes due now.
    fn enqueue_or_bring_forward(
        &self,
        queue: &Queue,
        db: &Conn<'_>,
        now: Millis,
    ) -> impl Future<Output = Result<()>> + Send
    where
        Self: Sync,
    {
        async move {
            let enqueued = self.enqueue(queue, db, now).await?;
            match self.dedupe_key() {
                Some(key) if !enqueued => queue.bring_forward(db, (Self::NAME, &key), now).await,
                _ => Ok(()),
            }
        }
    }

    /// Enqueues the job with `due_at` as the earliest time to run.
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
            let (id, key) = (JobId::new(now), self.dedupe_key());
            let new = NewJob {
                id: &id,
                name: Self::NAME,
                payload: &serde_json::to_string(self)?,
                dedupe_key: key.as_deref(),
                due_at,
            };
            queue.enqueue(db, new, now).await
        }
    }
}

/// The times at which the worker enqueues a job by itself.
pub enum Schedule<J> {
    OnDemand,
    /// Whenever an instance of the service starts.
    AtStart(J),
    /// At a fixed interval, on one instance at a time.
    Every(Duration, J),
}

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    Done,
    /// The job has more to do: it runs again at this time, and attempts are counted from zero.
    Again(Millis),
    /// The attempt failed: the job is retried after the backoff, and not before this time.
    Retry(Code, Option<Millis>),
    /// The job failed permanently.
    Failed(Code),
    /// The job may have had its effect and does not run again.
    Unknown(Code),
}

impl JobOutcome {
    /// Converts the result of an attempt: `Done` for success, otherwise a retry.
    #[must_use]
    pub fn from_result<T>(ran: Result<T>, now: Millis) -> Self {
        let Err(error) = ran else { return Self::Done };
        tracing::warn!(error = error.text_with_causes(), "a tarefa de fundo falhou");
        Self::retry(&error, now)
    }

    /// Returns a retry that is not made before the `Retry-After` of the error.
    #[must_use]
    pub fn retry(error: &Error, now: Millis) -> Self {
        let wait = error.retry_after_seconds().map(Duration::from_secs);
        Self::Retry(error.code, wait.map(|wait| now + to_millis(wait)))
    }

    /// Returns the name of the outcome in metrics and logs.
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

/// Exponential backoff: each delay is twice the previous one, up to a maximum.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    pub first: Duration,
    pub longest: Duration,
}

impl Backoff {
    /// Returns the delay after this many attempts. `chance` is a random number that selects a value
    /// in the upper half of the delay, so that jobs that failed together are not retried together.
    #[must_use]
    pub fn delay_after(self, attempts: i64, chance: u32) -> Duration {
        let doublings = u32::try_from(attempts.clamp(1, 32) - 1).unwrap_or_default();
        let whole = self.first.saturating_mul(1 << doublings);
        let half = whole.min(self.longest) / 2;
        half + half.mul_f64(f64::from(chance) / f64::from(u32::MAX))
    }
}

/// The context of one attempt of a job.
pub struct JobContext {
    pub(super) host: Arc<dyn Host>,
    pub(super) lease: Lease,
    pub(super) stopping: CancellationToken,
    /// The number of the attempt, counted from 1.
    pub attempt: i64,
    /// The start time of the attempt.
    pub now: Millis,
}

impl JobContext {
    #[must_use]
    pub fn services(&self) -> &Services {
        self.host.services()
    }

    /// True if the service is shutting down. A long job then leaves the rest to its next run
    /// (`Again`).
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Commits the writes of the job if its lease is still valid, and extends the lease.
    ///
    /// Fails if another worker has taken over the job; then nothing is written.
    pub async fn commit(&self, tx: Tx) -> Result<()> {
        let until = self.services().clock.now() + LEASE;
        let leases = std::slice::from_ref(&self.lease);
        if store::jobs::renew_leases(&tx.conn(), leases, until)
            .await?
            .is_empty()
        {
            return Err(Error::internal("a tarefa passou a outra instância"));
        }
        Ok(tx.commit().await?)
    }
}

pub(super) fn to_millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_the_maximum_with_jitter() {
        let seconds = Duration::from_secs;
        let backoff = Backoff {
            first: seconds(5),
            longest: seconds(60),
        };
        let longest = [1, 2, 3, 4, 5, 60].map(|attempts| backoff.delay_after(attempts, u32::MAX));
        assert_eq!(longest, [5, 10, 20, 40, 60, 60].map(seconds));
        let shortest = [1, 2, 60].map(|attempts| backoff.delay_after(attempts, 0));
        assert_eq!(shortest, [2_500, 5_000, 30_000].map(Duration::from_millis));
        let between = backoff.delay_after(1, u32::MAX / 2);
        assert!(seconds(3) < between && between < seconds(4), "{between:?}");
    }
}
