//! The main loop of the worker: waking, waiting and shutdown.
//!
//! A worker sleeps until the next due time in the database: a job becomes due, or a lease expires.
//! Enqueueing a job wakes it. On SQLite it wakes at once, and its transaction waits for the
//! transaction that enqueues the job. On PostgreSQL every instance is notified at the commit
//! (`LISTEN`). There is no polling. While the database is unavailable the worker waits one second,
//! then longer, up to half a minute.
//!
//! When a process is killed, its leases expire and another worker takes over its jobs.

use std::time::{Duration, Instant};

use tokio::{sync::Notify, time::timeout_at};

use super::{JobOutcome, Worker};
use crate::{Error, Result};
use domain::{Code, time::Millis};
use store::{Db, announcements};

/// The maximum time that a shutdown waits for running jobs.
const GRACE: Duration = Duration::from_secs(25);
/// Retry delay while the database is unavailable: the first and the longest.
const AWAY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

impl Worker {
    /// Runs jobs until `stop` completes, then waits for running jobs up to the grace period.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let host = self.host.clone();
        let woken = host.services().queue.wake_signal();
        let mut listening = std::pin::pin!(listen_for_jobs(&host.services().db, &woken));
        let mut stop = std::pin::pin!(stop);
        let mut pause = AWAY.0;
        let stopping = self.stopping.clone();
        loop {
            let turned = {
                let mut turn = std::pin::pin!(self.run_turn());
                tokio::select! {
                    turned = &mut turn => turned,
                    // A turn is not interrupted. Jobs that it claims after the stop are returned to
                    // the queue.
                    () = &mut stop => {
                        stopping.cancel();
                        turn.await
                    }
                }
            };
            if stopping.is_cancelled() {
                break;
            }
            let next = match turned {
                Ok(next) => {
                    pause = AWAY.0;
                    next
                }
                Err(error) => {
                    log_pause(&error);
                    tokio::select! {
                        () = &mut stop => break,
                        () = tokio::time::sleep(pause) => {}
                    }
                    pause = (pause * 2).min(AWAY.1);
                    continue;
                }
            };
            let wait =
                next.map(|next| next.saturating_sub(self.host.services().clock.now()).max(0));
            tokio::select! {
                () = &mut stop => break,
                () = woken.notified() => {}
                Some(ended) = self.tasks.join_next() => self.record_end(ended),
                () = sleep(wait) => {}
                () = &mut listening => {}
            }
        }
        self.stop(GRACE).await;
    }

    /// Runs jobs until none is due and none is running.
    pub async fn drain(&mut self) -> Result<()> {
        loop {
            self.run_turn().await?;
            match self.tasks.join_next().await {
                Some(ended) => self.record_end(ended),
                None if self.ended.is_empty() => return Ok(()),
                None => {}
            }
        }
    }

    /// Stops claiming jobs and waits for running ones. Jobs that still run after `grace` are
    /// aborted: they are requeued, or become `unknown` if they must not be repeated.
    pub async fn stop(&mut self, grace: Duration) {
        self.stopping.cancel();
        let deadline = (Instant::now() + grace).into();
        while let Ok(Some(ended)) = timeout_at(deadline, self.tasks.join_next()).await {
            self.record_end(ended);
            // If writing an outcome fails here, the last turn below writes it.
            let _ = self.run_turn().await;
        }
        for (_, mut running) in self.running.drain() {
            if let Some(task) = &running.task {
                task.abort();
            }
            running.released = !running.kind.entry.at_most_once;
            let outcome = match running.released {
                true => JobOutcome::Done,
                false => JobOutcome::Unknown(Code::OUTCOME_UNKNOWN),
            };
            self.ended.push((running, outcome, grace));
        }
        if let Err(error) = self.run_turn().await {
            tracing::warn!(
                error = error.text_with_causes(),
                "o desfecho de tarefas de fundo não foi gravado: a reserva delas vai vencer"
            );
        }
    }
}

fn log_pause(error: &Error) {
    tracing::warn!(
        error = error.text_with_causes(),
        "as tarefas de fundo fazem uma pausa"
    );
}

/// Sleeps for this many milliseconds; forever if `None`.
async fn sleep(wait: Option<Millis>) {
    match wait {
        Some(wait) => tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await,
        None => std::future::pending().await,
    }
}

/// Wakes the worker when PostgreSQL notifies of an enqueued job. Never returns.
async fn listen_for_jobs(db: &Db, woken: &Notify) {
    let mut pause = AWAY.0;
    loop {
        match announcements::listen(db, store::jobs::CHANNEL).await {
            Ok(None) => std::future::pending().await,
            Ok(Some(mut announced)) => {
                pause = AWAY.0;
                // Other instances may have enqueued jobs before this one was listening.
                woken.notify_one();
                while announced.next().await.is_ok() {
                    woken.notify_one();
                }
            }
            Err(error) => tracing::warn!(
                error = error.0.text_with_causes(),
                "as tarefas de fundo de outras instâncias não são anunciadas"
            ),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(AWAY.1);
    }
}
