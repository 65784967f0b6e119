//! CPU-bound work on large inputs, away from the async threads.

use std::{sync::LazyLock, thread};

use tokio::sync::Semaphore;

use super::{Error, Result};

/// Maximum number of large inputs processed at the same time.
const MOST: usize = 4;

/// Runs slow work on a blocking thread. The number of simultaneous runs is at most the number of
/// cores, and at most `MOST`.
pub async fn offload<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Semaphore::new(cores.min(MOST))
    });
    let turn = TURNS.acquire().await.map_err(Error::internal)?;
    let working = tokio::task::spawn_blocking(move || {
        // The work keeps its permit, because it continues after its caller is gone.
        let _turn = turn;
        work()
    });
    working.await.map_err(Error::internal)
}
