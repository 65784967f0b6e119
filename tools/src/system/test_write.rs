//! A write that tests whether the database accepts writes.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use store::Db;

/// How long the result of a test write is reused. Anybody may ask for readiness, and must not make
/// the disk write each time.
const REUSED_FOR: Duration = Duration::from_millis(500);

/// When a test write was last made, and whether the database accepted it.
#[derive(Default)]
pub struct TestWrite(Mutex<Option<(Instant, bool)>>);

impl TestWrite {
    /// Whether the database accepts writes.
    pub(super) async fn succeeds(&self, db: &Db) -> bool {
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
