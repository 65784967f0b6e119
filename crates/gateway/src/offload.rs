//! Work on large inputs, away from the threads that serve everyone.

use std::{sync::LazyLock, thread};

use tokio::sync::Semaphore;

use super::{Error, Result};

/// Large inputs worked on at once.
const MOST: usize = 4;

/// Runs work that takes its time on a thread of its own; only as many at once as there are cores.
pub async fn offload<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Semaphore::new(cores.min(MOST))
    });
    let turn = TURNS.acquire().await.map_err(Error::internal)?;
    let working = tokio::task::spawn_blocking(move || {
        // Held by the work itself, which goes on when its caller has gone.
        let _turn = turn;
        work()
    });
    working.await.map_err(Error::internal)
}
