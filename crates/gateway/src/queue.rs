//! The job queue.

use std::sync::Arc;

use tokio::sync::Notify;

use super::Result;
use domain::time::Millis;
use store::{Conn, jobs::NewJob};

/// Inserts jobs into the database and wakes the worker of this process.
#[derive(Clone, Default)]
pub struct Queue {
    woken: Arc<Notify>,
}

impl Queue {
    /// Enqueues a job in an open transaction. Returns `false` if a job with the same key is already
    /// queued.
    pub(super) async fn enqueue(
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

    /// A signal that is notified whenever a job is enqueued.
    pub(super) fn wake_signal(&self) -> Arc<Notify> {
        self.woken.clone()
    }
}
