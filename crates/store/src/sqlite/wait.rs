//! How long callers wait, and for what.

use std::{future::Future, time::Duration};

use rusqlite::Result;
use sea_orm::DbErr;
use tokio::time::Instant;

use super::error::is_busy;

/// How long a caller waits for a connection.
pub(crate) const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);
/// For how long a statement is tried again while another process is in its way.
const BUSY: Duration = Duration::from_secs(5);
/// Between the first two tries; doubled up to the longest.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Tries again as long as another process is in the way. Nothing waits inside SQLite, which would
/// hold a thread that serves others.
pub(super) async fn while_busy<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
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

/// Waits for a place at most as long as anybody waits for a connection.
pub(super) async fn in_time<T>(place: impl Future<Output = T>) -> Result<T, DbErr> {
    let waited = tokio::time::timeout(CONNECTION_TIMEOUT, place).await;
    waited.map_err(|_| DbErr::ConnectionAcquire(sea_orm::ConnAcquireErr::Timeout))
}
