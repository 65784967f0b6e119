//! Background tasks: the job worker, and a task that writes the collected read log to the database.

use std::time::Duration;

use gateway::jobs::Worker;

use crate::app::{App, cause_text};

/// How long reads are collected before they are written to the audit trail.
const GATHERED: Duration = Duration::from_secs(5);

impl App {
    /// The worker that runs the jobs of every area.
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
