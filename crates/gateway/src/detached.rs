//! Calls that continue after their caller disconnects.
//!
//! A call with a credential runs to completion on its own task. If the caller disconnects, the
//! result of the provider is still stored, and a shutdown waits for the call. The number of these
//! tasks is limited and measured. They have no rows in `jobs`, because the idempotency key already
//! records the call: if the process dies, the outcome is `OUTCOME_UNKNOWN`.

use std::sync::Arc;

use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use super::{Code, Error, Result};

/// Maximum number of calls in progress. Further calls are rejected.
const MOST: usize = 256;

/// Calls to external services in progress, each on its own task.
///
/// These calls are not jobs: the caller waits for the response, the idempotency key is the durable
/// record, and after a crash a call must not run again, because a provider may have been paid.
#[derive(Clone)]
pub struct Detached {
    tasks: TaskTracker,
    room: Arc<Semaphore>,
}

impl Default for Detached {
    fn default() -> Self {
        Self::with_room(MOST)
    }
}

/// Decrements a gauge when it is dropped.
struct Counted(Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Detached {
    fn with_room(calls: usize) -> Self {
        Self {
            tasks: TaskTracker::new(),
            room: Arc::new(Semaphore::new(calls)),
        }
    }

    /// Runs the work to completion, even if its caller disconnects.
    ///
    /// Fails with 429 if too many calls are in progress; then the work does not start.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        gauge: &Gauge,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let place = self.room.clone().try_acquire_owned();
        let place = place.map_err(|_| Error::new(Code::RATE_LIMITED).with_retry_after(5))?;
        gauge.inc();
        let counted = Counted(gauge.clone());
        let task = async move {
            let _held = (place, counted);
            work.await
        };
        let task = self.tasks.spawn(task.in_current_span());
        task.await.map_err(Error::internal)?
    }

    /// Waits until all calls have ended.
    pub async fn wait_for_calls(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, time::Duration};

    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    #[tokio::test]
    async fn detached_calls_continue_without_their_caller_and_are_limited() {
        let (detached, gauge) = (Detached::with_room(1), Gauge::default());
        let (end, ended) = oneshot::channel::<()>();
        let work = async move {
            let _ = ended.await;
            Ok(())
        };
        let calling = detached.run(&gauge, work);
        let hung_up = timeout(Duration::from_millis(10), calling).await;
        assert!(hung_up.is_err());
        assert_eq!(gauge.get(), 1);
        let refused = detached.run(&gauge, pending::<Result<()>>()).await;
        let refused = refused.expect_err("there is no room");
        assert_eq!(
            (refused.code, refused.retry_after_seconds()),
            (Code::RATE_LIMITED, Some(5))
        );
        let _ = end.send(());
        let finished = timeout(Duration::from_secs(10), detached.wait_for_calls()).await;
        finished.expect("it ends");
        assert_eq!(gauge.get(), 0);
        let next = detached.run(&gauge, async { Ok(()) }).await;
        assert!(next.is_ok());
    }
}
