//! Runs CPU-bound work on large inputs outside the async threads.

use std::{sync::LazyLock, thread};

use tokio::sync::Semaphore;

use super::{Error, Result};

/// Maximum number of tasks at the same time.
const MOST: usize = 4;

/// Runs slow work on a blocking thread. The number of simultaneous tasks is limited to the number
/// of cores, and to `MOST`.
pub async fn offload<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Semaphore::new(cores.min(MOST))
    });
    let turn = TURNS.acquire().await.map_err(Error::internal)?;
    let working = tokio::task::spawn_blocking(move || {
        // The permit is moved into the work, which continues if its caller disconnects.
        let _turn = turn;
        work()
    });
    working.await.map_err(Error::internal)
}
