//! The job queue.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicI64, Ordering},
};

use tokio::sync::Notify;

use super::Result;
use domain::time::{Millis, SECOND};
use store::{Conn, jobs::NewJob};

/// The delay from a new row in the outbox to the run of its readers, so that one run reads many
/// rows.
pub(super) const OUTBOX_DELAY: Millis = SECOND;

/// Inserts jobs into the database and wakes the worker of this process.
#[derive(Clone, Default)]
pub struct Queue {
    woken: Arc<Notify>,
    outbox: Arc<Outbox>,
}

/// The state of the next run of the readers of the outbox.
#[derive(Default)]
struct Outbox {
    /// True if there are rows for which no run was scheduled yet.
    has_news: AtomicBool,
    /// The time of the scheduled run, which reads all rows that are committed until then.
    read_at: AtomicI64,
}

impl Queue {
    /// Enqueues a job in an open transaction. Returns `false` if a job with the same key is already
    /// queued.
    pub(crate) async fn enqueue(
        &self,
        db: &Conn<'_>,
        job: NewJob<'_>,
        now: Millis,
    ) -> Result<bool> {
        let enqueued = store::jobs::insert(db, job, now).await?;
        // On SQLite, the worker's transaction waits for this one. PostgreSQL notifies all processes
        // at the commit, including this one.
        if enqueued {
            self.woken.notify_one();
        }
        Ok(enqueued)
    }

    /// Makes the queued job with this name and key due now, if it was to run later.
    pub(crate) async fn bring_forward(
        &self,
        db: &Conn<'_>,
        (name, key): (&str, &str),
        now: Millis,
    ) -> Result<()> {
        store::jobs::bring_forward_keyed(db, name, key, now).await?;
        self.woken.notify_one();
        Ok(())
    }

    /// Returns a signal that is notified whenever a job is enqueued.
    pub(super) fn wake_signal(&self) -> Arc<Notify> {
        self.woken.clone()
    }

    /// Makes the worker run the readers of the outbox soon. Costs no statement: the worker changes
    /// the time of the next run, at most once per `OUTBOX_DELAY`, however many rows are written.
    ///
    /// If the process ends before that run, the regular run of the readers reads the rows.
    pub(super) fn wake_outbox_readers(&self, now: Millis) {
        let outbox = &self.outbox;
        let read_at = outbox.read_at.load(Ordering::Acquire);
        // A time later than `now` plus the delay was scheduled before the clock was set back, so it
        // is ignored.
        if now < read_at && read_at <= now + OUTBOX_DELAY {
            return;
        }
        if !outbox.has_news.swap(true, Ordering::AcqRel) {
            self.woken.notify_one();
        }
    }

    /// True if there are rows for which no run was scheduled yet.
    pub(super) fn has_outbox_news(&self) -> bool {
        self.outbox.has_news.load(Ordering::Acquire)
    }

    /// Records that the readers of the outbox run at this time.
    pub(super) fn record_outbox_run(&self, at: Millis) {
        self.outbox.read_at.store(at, Ordering::Release);
        self.outbox.has_news.store(false, Ordering::Release);
    }
}
