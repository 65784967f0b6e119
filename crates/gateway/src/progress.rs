//! Reports the progress of a call to a client that listens.
//!
//! An operation reports its steps (`Context::report_progress`) whether or not anybody listens.
//! Without a listener, a report costs one branch, and its message is not built. With a listener,
//! each report replaces the previous one, so a client that does not read uses no additional memory.

use std::time::Duration;

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// The minimum interval between two steps that a listener receives. Steps in between are skipped.
const PAUSE: Duration = Duration::from_millis(200);

/// One step of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The amount of work done. It increases from step to step.
    pub done: u64,
    /// The total amount of work, if known.
    pub total: Option<u64>,
    /// A description of the progress, shown to the user (Portuguese).
    pub message: String,
}

/// The channel to which a call reports its steps. The default has no listener.
#[derive(Debug, Clone, Default)]
pub struct Progress(Option<watch::Sender<Option<Step>>>);

/// Receives the steps of one call.
#[derive(Debug)]
pub struct ProgressListener {
    steps: watch::Receiver<Option<Step>>,
    /// The earliest time at which the next step may be received.
    earliest: Instant,
}

impl Progress {
    /// Creates a progress with its listener.
    #[must_use]
    pub fn with_listener() -> (Self, ProgressListener) {
        let (sender, steps) = watch::channel(None);
        let earliest = Instant::now();
        (Self(Some(sender)), ProgressListener { steps, earliest })
    }

    /// Reports a step. A step whose `done` has not increased is ignored, so concurrent parts of a
    /// call may report in any order.
    pub(crate) fn report(&self, done: u64, total: Option<u64>, message: impl FnOnce() -> String) {
        let Some(sender) = &self.0 else { return };
        sender.send_if_modified(|last| {
            let is_further = last.as_ref().is_none_or(|last| last.done < done);
            if is_further {
                let message = message();
                *last = Some(Step {
                    done,
                    total,
                    message,
                });
            }
            is_further
        });
    }
}

impl ProgressListener {
    /// Waits for the next step; `None` if the call reports no further steps. If several steps are
    /// reported in short succession, only the latest is received. If the future is dropped, no step
    /// is lost.
    pub async fn next_step(&mut self) -> Option<Step> {
        sleep_until(self.earliest).await;
        self.steps.changed().await.ok()?;
        let step = self.steps.borrow_and_update().clone();
        self.earliest = Instant::now() + PAUSE;
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(done: u64) -> String {
        format!("{done} prontos")
    }

    #[tokio::test]
    async fn a_listener_receives_the_latest_step_and_never_an_earlier_one() {
        let (progress, mut listener) = Progress::with_listener();
        progress.report(0, Some(9), || text(0));
        let first = listener.next_step().await.expect("a step");
        assert_eq!(
            (first.done, first.total, first.message),
            (0, Some(9), text(0))
        );
        for done in [1, 5, 3, 5, 4] {
            progress.report(done, Some(9), || text(done));
        }
        let next = listener.next_step().await.expect("a step");
        assert_eq!((next.done, next.message), (5, text(5)));
        drop(progress);
        assert_eq!(listener.next_step().await, None);
    }

    #[tokio::test]
    async fn a_listener_receives_only_a_few_of_a_thousand_steps() {
        let (progress, mut listener) = Progress::with_listener();
        let reporting = tokio::spawn(async move {
            for done in 1..=1000 {
                progress.report(done, None, || text(done));
                if done % 100 == 0 {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        });
        let mut steps = vec![];
        while let Some(step) = listener.next_step().await {
            steps.push(step.done);
        }
        reporting.await.expect("no panic");
        assert!(
            steps.is_sorted() && (2..=20).contains(&steps.len()),
            "{steps:?}"
        );
    }

    #[test]
    fn without_a_listener_no_message_is_built() {
        Progress::default().report(1, None, || unreachable!("nobody listens"));
        let (progress, listener) = Progress::with_listener();
        drop(listener);
        progress.report(1, None, || text(1));
    }
}
