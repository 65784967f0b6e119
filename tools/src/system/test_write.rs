//! Tests whether the database accepts writes.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use store::Db;

/// The time for which the result of a test write is reused. The readiness check is public and must not
/// cause a disk write for each request.
const REUSED_FOR: Duration = Duration::from_millis(500);

/// The time and result of the last test write.
#[derive(Default)]
pub struct TestWrite(Mutex<Option<(Instant, bool)>>);

impl TestWrite {
    /// Returns true if the database accepts writes. Reuses a recent result.
    pub(super) async fn accepts_writes(&self, db: &Db) -> bool {
        let mut last = self.0.lock().await;
        if let Some((at, succeeded)) = *last
            && at.elapsed() < REUSED_FOR
        {
            return succeeded;
        }
        let outcome = db.require_writable().await;
        if let Err(error) = &outcome {
            let cause = std::error::Error::source(&error.0).map(tracing::field::display);
            tracing::error!(cause, "o banco de dados não aceita escritas");
        }
        *last = Some((Instant::now(), outcome.is_ok()));
        outcome.is_ok()
    }
}
