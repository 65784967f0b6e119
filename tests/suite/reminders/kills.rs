//! A process that ends while it reminds, and two that do it at once.

use std::{future::Future, pin::pin, task::Poll};

use domain::time::{HOUR, MINUTE};

use super::{SOON, Team};

/// Polls a future this many times and drops it.
async fn kill_after<F: Future>(polls: usize, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = polls;
    std::future::poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_leaves_one_reminder() {
    for polls in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
        let team = Team::new().await;
        let hour = team.hour();
        team.post("Feira", &[]).await;
        team.app.advance_clock(hour - team.app.now() + SOON);
        let mut worker = team.app.app.worker();
        kill_after(polls, worker.drain()).await;
        drop(worker);
        // The lease of the killed process ends.
        team.app.advance_clock(2 * MINUTE);
        team.pass(hour + HOUR).await;
        let told = team.reminders(&team.ana).await;
        assert_eq!(told.len(), 1, "killed after {polls} polls: {told:?}");
        let told = team.app.count_rows("outbox WHERE kind = 'post_due'").await;
        assert_eq!(told, 1, "killed after {polls} polls");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_remind_once() {
    let team = Team::new().await;
    let other = team.app.second_instance().await;
    let hour = team.hour();
    for number in 0..6 {
        team.post(&format!("Peça {number}"), &[]).await;
    }
    team.app.advance_clock(hour - team.app.now() + SOON);
    for _ in 0..6 {
        let (mut one, mut two) = (team.app.app.worker(), other.app.worker());
        let (first, second) = tokio::join!(one.drain(), two.drain());
        first.expect("jobs");
        second.expect("jobs");
        team.app.advance_clock(SOON);
    }
    team.pass(hour + HOUR).await;
    assert_eq!(team.reminders(&team.ana).await.len(), 6);
    let told = team.app.count_rows("outbox WHERE kind = 'post_due'").await;
    assert_eq!(told, 6);
}
