//! Work of a call that goes on when its caller hangs up.

use std::sync::Arc;

use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::{Code, Error, Result};

/// Calls in progress at once; further ones are refused.
const MOST: usize = 256;

/// Outside writes in progress, each on a task of its own.
///
/// They are no jobs: their caller waits for the answer, their idempotency key is their record in the
/// database, and after a crash they must not run again, since a provider may have been paid.
#[derive(Clone)]
pub struct Detached {
    tasks: TaskTracker,
    room: Arc<Semaphore>,
}

impl Default for Detached {
    fn default() -> Self {
        Self {
            tasks: TaskTracker::new(),
            room: Arc::new(Semaphore::new(MOST)),
        }
    }
}

/// Counts one as long as it lives.
struct Counted(Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Detached {
    /// Runs work to its end, whether or not its caller waits for it.
    ///
    /// Refused (429) when too many are in progress: nothing has begun then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        gauge: &Gauge,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let place = self.room.clone().try_acquire_owned();
        let place = place.map_err(|_| Error::new(Code::RateLimited).retry_after(5))?;
        gauge.inc();
        let counted = Counted(gauge.clone());
        let task = self.tasks.spawn(async move {
            let _held = (place, counted);
            work.await
        });
        task.await.map_err(Error::internal)?
    }

    /// Waits until all have ended.
    pub async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}
