//! Metrics in the Prometheus text format.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::{Door, Measure, measures::Source};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    operation: &'static str,
    door: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobLabels {
    job: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobRunLabels {
    job: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobRowLabels {
    job: String,
    state: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WorkLabels {
    kind: &'static str,
    state: String,
}

/// In seconds, from a read of one row to an outside call.
const BUCKETS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0];

/// In seconds, from a job with one statement to a job with many outside calls.
const JOB_BUCKETS: [f64; 8] = [0.001, 0.01, 0.1, 0.5, 2.5, 10.0, 60.0, 600.0];

/// Calls by operation, interface and status, with durations; refused credentials; jobs by state;
/// job runs by outcome, with durations.
pub struct Metrics {
    registry: Mutex<Registry>,
    calls: Family<CallLabels, Counter>,
    seconds: Family<OperationLabels, Histogram>,
    refused_credentials: Counter,
    detached: Gauge,
    job_rows: Family<JobRowLabels, Gauge>,
    job_runs: Family<JobRunLabels, Counter>,
    job_seconds: Family<JobLabels, Histogram>,
    jobs_running: Family<JobLabels, Gauge>,
    work: Family<WorkLabels, Gauge>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut all = Registry::default();
        let registry = all.sub_registry_with_prefix("pauta");
        let calls = Family::default();
        let seconds = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> _);
        let refused_credentials = Counter::default();
        let detached = Gauge::default();
        let (job_rows, job_runs) = (Family::default(), Family::default());
        let job_seconds =
            Family::new_with_constructor((|| Histogram::new(JOB_BUCKETS)) as fn() -> _);
        let jobs_running = Family::default();
        registry.register("calls", "Calls of operations", calls.clone());
        registry.register("call_seconds", "Duration of calls", seconds.clone());
        registry.register(
            "refused_credentials",
            "Requests without a valid credential",
            refused_credentials.clone(),
        );
        registry.register(
            "detached_calls",
            "Outside writes in progress on this instance",
            detached.clone(),
        );
        registry.register("jobs", "Jobs in the database", job_rows.clone());
        registry.register("job_runs", "Runs of jobs that ended", job_runs.clone());
        registry.register("job_seconds", "Duration of runs", job_seconds.clone());
        registry.register(
            "jobs_running",
            "Jobs that run on this instance",
            jobs_running.clone(),
        );
        let work = Family::default();
        registry.register("work", "Work of the areas by state", work.clone());
        Self {
            registry: Mutex::new(all),
            calls,
            seconds,
            refused_credentials,
            detached,
            job_rows,
            job_runs,
            job_seconds,
            jobs_running,
            work,
        }
    }
}

impl Metrics {
    pub(super) fn called(&self, operation: &'static str, door: Door, status: u16, took: Duration) {
        let call = CallLabels {
            operation,
            door: door.as_str(),
            status,
        };
        self.calls.get_or_create(&call).inc();
        self.seconds
            .get_or_create(&OperationLabels { operation })
            .observe(took.as_secs_f64());
    }

    pub(super) fn turned_away(&self) {
        self.refused_credentials.inc();
    }

    /// The gauge of outside writes in progress.
    pub(super) fn detached(&self) -> &Gauge {
        &self.detached
    }

    pub(super) fn job_began(&self, job: &'static str) {
        self.jobs_running.get_or_create(&JobLabels { job }).inc();
    }

    /// Counts a run. `took` is `None` for a job that did not start.
    pub(super) fn job_ended(
        &self,
        job: &'static str,
        outcome: &'static str,
        took: Option<Duration>,
    ) {
        self.job_runs
            .get_or_create(&JobRunLabels { job, outcome })
            .inc();
        if let Some(took) = took {
            self.jobs_running.get_or_create(&JobLabels { job }).dec();
            let seconds = self.job_seconds.get_or_create(&JobLabels { job });
            seconds.observe(took.as_secs_f64());
        }
    }

    /// Sets the counts of jobs in the database.
    pub(super) fn jobs(&self, counts: Vec<store::jobs::Count>) {
        self.job_rows.clear();
        for store::jobs::Count { name, state, jobs } in counts {
            let rows = JobRowLabels { job: name, state };
            self.job_rows.get_or_create(&rows).set(jobs);
        }
    }

    /// Sets the counts of work by kind and state.
    pub(super) fn work(&self, counts: Vec<(&'static str, String, i64)>) {
        self.work.clear();
        for (kind, state, count) in counts {
            self.work
                .get_or_create(&WorkLabels { kind, state })
                .set(count);
        }
    }

    /// Adds a source of measures from another part of the service, read at each scrape.
    pub fn add(&self, source: impl Fn() -> Vec<Measure> + Send + Sync + 'static) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register_collector(Box::new(Source(source)));
    }

    /// The text of `/metrics`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        // Writing into a String cannot fail.
        let _ = encode(&mut text, &registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_operation_door_and_status() {
        let metrics = Metrics::default();
        metrics.called("get_me", Door::Mcp, 200, Duration::from_millis(2));
        metrics.turned_away();
        let text = metrics.text();
        assert!(
            text.contains(r#"pauta_calls_total{operation="get_me",door="mcp",status="200"} 1"#)
        );
        assert!(text.contains("pauta_refused_credentials_total 1"));
        assert!(text.contains(r#"pauta_call_seconds_count{operation="get_me"} 1"#));
    }
}
