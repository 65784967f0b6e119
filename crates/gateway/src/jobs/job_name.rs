//! Enqueues a job by its name, for crates that cannot use the type of the job because it is defined
//! in a crate that depends on them.

use crate::{Queue, Result};
use domain::{JobId, time::Millis};
use store::{Conn, jobs::NewJob};

/// The name of a job without fields, which is also its deduplication key. At most one job with this
/// name is queued, and at most one runs.
#[derive(Debug, Clone, Copy)]
pub struct JobName(pub &'static str);

impl JobName {
    /// Enqueues the job in an open transaction. If the job already waits for a later time, it
    /// becomes due now.
    pub async fn enqueue_or_bring_forward(
        self,
        queue: &Queue,
        db: &Conn<'_>,
        now: Millis,
    ) -> Result<()> {
        let new = NewJob {
            id: &JobId::new(now),
            name: self.0,
            payload: "null",
            dedupe_key: Some(self.0),
            due_at: now,
        };
        if !queue.enqueue(db, new, now).await? {
            queue.bring_forward(db, (self.0, self.0), now).await?;
        }
        Ok(())
    }
}
