//! The rules for a call whose caller disconnects.
//!
//! | call | after the caller has left |
//! |---|---|
//! | a read, or a local write | stops at once; a write and the reservation of its key are rolled back |
//! | an outside write | continues on its own task (`detached.rs`), because a provider was or will be paid, or other services were changed. The result is stored under the key |
//! | an outside write whose spec says `.stoppable()` | stops if it has only downloaded or drawn something at no cost (`Context::until_caller_leaves`). It continues after its first effect |
//!
//! A stopped call has had no effect: its key is free again, and the same call runs from the start.
//! Work stops between two steps of the operation, so the operation's own clean-up runs.

use tokio_util::sync::CancellationToken;

use super::{Code, Error, Result};

/// The outcome of a stopped call, for the audit trail. No client receives it.
const CALLER_LEFT: Code = Code::new(
    "CALLER_LEFT",
    408,
    "Quem chamou desligou antes do fim, e nada foi guardado.",
);

/// Signals that the caller of a detached call has disconnected. `None` for a call that is not
/// detached, because such a call ends when its caller disconnects.
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
        // A finished result is returned, although the caller has left.
        assert_eq!(
            departure.stop_on_departure(ready(Ok(2))).await.ok(),
            Some(2)
        );
    }
}
