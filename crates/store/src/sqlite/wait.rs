//! Timeouts of waiting callers, and retries while the file is locked.

use std::{future::Future, time::Duration};

use rusqlite::Result;
use sea_orm::DbErr;
use tokio::time::Instant;

use super::error::is_busy;

/// How long a caller waits for a connection.
pub(crate) const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a statement is retried while another process holds a lock.
const BUSY: Duration = Duration::from_secs(5);
/// The backoff before the first retry; it doubles up to the longest pause.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Retries while another process holds a lock. Waiting inside SQLite would block a thread that runs
/// other tasks.
pub(super) async fn retry_while_busy<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    let mut pause = PAUSE;
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && begun.elapsed() < BUSY => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            done => return done,
        }
    }
}

/// Waits for a connection, at most [`CONNECTION_TIMEOUT`].
pub(super) async fn with_timeout<T>(place: impl Future<Output = T>) -> Result<T, DbErr> {
    let waited = tokio::time::timeout(CONNECTION_TIMEOUT, place).await;
    waited.map_err(|_| DbErr::ConnectionAcquire(sea_orm::ConnAcquireErr::Timeout))
}
