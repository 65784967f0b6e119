//! Background tasks: the job worker, and tasks that write the collected read log and the counted
//! calls to the database.

use std::time::Duration;

use gateway::jobs::Worker;
use tokio::time::MissedTickBehavior;

use crate::app::{App, cause_text};

/// How long reads are collected before they are written to the audit trail.
const GATHERED: Duration = Duration::from_secs(5);
/// How often counted calls are shared with the database.
const SHARED: Duration = Duration::from_secs(2);

impl App {
    /// Returns the worker that runs the jobs of every area.
    #[must_use]
    pub fn worker(&self) -> Worker {
        Worker::new(self.gateway.clone(), tools::jobs())
    }

    /// Writes the collected reads to the audit trail and logs the counted refusals. Sleeps while
    /// there are none, and never returns.
    pub async fn run_read_log(&self) {
        let services = &self.gateway.services;
        loop {
            tokio::select! {
                () = services.reads.wait_for_items() => {}
                () = services.refusals.wait_for_refusals() => {}
            }
            tokio::time::sleep(GATHERED).await;
            self.flush_reads(false).await;
        }
    }

    /// Shares the counted calls with the database. Never returns.
    pub async fn run_quotas(&self) {
        let mut interval = tokio::time::interval(SHARED);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            interval.tick().await;
            self.share_counted_calls().await;
        }
    }

    /// Adds the counted calls to the database.
    pub async fn share_counted_calls(&self) {
        let services = &self.gateway.services;
        let now = services.clock.now();
        let shared = services.quotas.share(&services.db, &services.keys, now);
        if let Err(error) = shared.await {
            tracing::warn!(
                error = cause_text(&error),
                "as chamadas contadas não puderam ser gravadas"
            );
        }
    }

    /// Writes all collected reads, also those of the current minute.
    pub async fn write_all_reads(&self) {
        self.flush_reads(true).await;
    }

    async fn flush_reads(&self, all: bool) {
        let services = &self.gateway.services;
        let now = services.clock.now();
        services.refusals.flush(now, all);
        if let Err(error) = services.reads.flush(&services.db, now, all).await {
            tracing::warn!(
                error = cause_text(&error),
                "as leituras somadas não puderam ser gravadas na auditoria"
            );
        }
    }
}
