//! What the operator watches, in the Prometheus text format.

use std::time::Duration;

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::Door;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    operation: &'static str,
    door: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Timed {
    operation: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Job {
    job: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobRun {
    job: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobRows {
    job: String,
    state: String,
}

/// Seconds, from a read of one row to an outside call.
const BUCKETS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0];

/// Seconds, from a job of one statement to one that makes many outside calls.
const JOB_BUCKETS: [f64; 8] = [0.001, 0.01, 0.1, 0.5, 2.5, 10.0, 60.0, 600.0];

/// Counters of calls by operation, door and status, their durations, and refused credentials; jobs
/// by state, their runs by outcome, and the durations of these.
pub struct Meters {
    registry: Registry,
    calls: Family<Call, Counter>,
    seconds: Family<Timed, Histogram>,
    refused_credentials: Counter,
    detached: Gauge,
    job_rows: Family<JobRows, Gauge>,
    job_runs: Family<JobRun, Counter>,
    job_seconds: Family<Job, Histogram>,
    jobs_running: Family<Job, Gauge>,
}

impl Default for Meters {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("pauta");
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
        Self {
            registry,
            calls,
            seconds,
            refused_credentials,
            detached,
            job_rows,
            job_runs,
            job_seconds,
            jobs_running,
        }
    }
}

impl Meters {
    pub(super) fn called(&self, operation: &'static str, door: Door, status: u16, took: Duration) {
        let call = Call {
            operation,
            door: door.as_str(),
            status,
        };
        self.calls.get_or_create(&call).inc();
        self.seconds
            .get_or_create(&Timed { operation })
            .observe(took.as_secs_f64());
    }

    pub(super) fn turned_away(&self) {
        self.refused_credentials.inc();
    }

    /// Outside writes in progress.
    pub(super) fn detached(&self) -> &Gauge {
        &self.detached
    }

    pub(super) fn job_began(&self, job: &'static str) {
        self.jobs_running.get_or_create(&Job { job }).inc();
    }

    /// `took` is `None` for a job that was not started.
    pub(super) fn job_ended(
        &self,
        job: &'static str,
        outcome: &'static str,
        took: Option<Duration>,
    ) {
        self.job_runs.get_or_create(&JobRun { job, outcome }).inc();
        if let Some(took) = took {
            self.jobs_running.get_or_create(&Job { job }).dec();
            let seconds = self.job_seconds.get_or_create(&Job { job });
            seconds.observe(took.as_secs_f64());
        }
    }

    /// Notes how many jobs the database holds.
    pub(super) fn jobs(&self, counts: Vec<store::jobs::Count>) {
        self.job_rows.clear();
        for store::jobs::Count { name, state, jobs } in counts {
            let rows = JobRows { job: name, state };
            self.job_rows.get_or_create(&rows).set(jobs);
        }
    }

    /// The text of `/metrics`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a String cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_operation_door_and_status() {
        let meters = Meters::default();
        meters.called("get_me", Door::Mcp, 200, Duration::from_millis(2));
        meters.turned_away();
        let text = meters.text();
        assert!(
            text.contains(r#"pauta_calls_total{operation="get_me",door="mcp",status="200"} 1"#)
        );
        assert!(text.contains("pauta_refused_credentials_total 1"));
        assert!(text.contains(r#"pauta_call_seconds_count{operation="get_me"} 1"#));
    }
}
