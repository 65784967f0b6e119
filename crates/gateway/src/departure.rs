//! What happens to a call when its caller disconnects.
//!
//! | call | after the caller has left |
//! |---|---|
//! | a read, or a local write | stops at once; a write rolls back, its key too |
//! | an outside write | continues on a task of its own (`detached.rs`): a provider was or will be paid, or other services were changed. The key has the result |
//! | an outside write whose spec says `.stoppable()` | stops while it only downloads or draws at no cost (`Context::until_caller_leaves`). From its first effect on it continues |
//!
//! A stopped call has had no effect: its key is free again, and the same call runs from the start.
//! Work stops between two steps of the operation, so the operation's own clean-up runs.

use tokio_util::sync::CancellationToken;

use super::{Code, Error, Result};

/// The outcome of a stopped call, for the audit trail. Nobody receives it.
const CALLER_LEFT: Code = Code::new(
    "CALLER_LEFT",
    408,
    "Quem chamou desligou antes do fim, e nada foi guardado.",
);

/// Becomes true when the caller of a detached call disconnects. A call that is not detached ends
/// with its caller, so it has none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Departure(Option<CancellationToken>);

impl Departure {
    pub(crate) fn new(left: CancellationToken) -> Self {
        Self(Some(left))
    }

    /// Runs work until it is done or the caller leaves.
    pub(crate) async fn stop_on_departure<T>(
        &self,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let Some(left) = &self.0 else {
            return work.await;
        };
        tokio::select! {
            biased;
            done = work => done,
            () = left.cancelled() => Err(Error::new(CALLER_LEFT)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn work_stops_when_its_caller_leaves() {
        let left = CancellationToken::new();
        let departure = Departure::new(left.clone());
        assert_eq!(
            departure.stop_on_departure(ready(Ok(1))).await.ok(),
            Some(1)
        );
        left.cancel();
        let stopped = departure.stop_on_departure(pending::<Result<()>>()).await;
        assert_eq!(stopped.map_err(|error| error.code), Err(CALLER_LEFT));
        // A result that is there counts, although the caller has left.
        assert_eq!(
            departure.stop_on_departure(ready(Ok(2))).await.ok(),
            Some(2)
        );
    }
}
