//! Metrics in the Prometheus text format.

use std::{
    collections::HashSet,
    hash::Hash,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::{Atomic, Counter},
        exemplar::{CounterWithExemplar, HistogramWithExemplars},
        family::Family,
        gauge::Gauge,
        histogram::Histogram,
    },
    registry::Registry,
};

use super::{Door, Measure, measures::Source};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    operation: &'static str,
    door: &'static str,
    status: u16,
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
    door: &'static str,
}

/// The exemplar of a call: the trace in which it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TraceLabel {
    trace_id: String,
}

/// The label `code` of calls that were answered.
pub(super) const NO_CODE: &str = "OK";

/// A call that ended.
pub(super) struct CallOutcome {
    pub operation: &'static str,
    pub door: Door,
    pub status: u16,
    /// The error code, or [`NO_CODE`].
    pub code: &'static str,
    pub took: Duration,
    /// The trace in which the call was recorded.
    pub trace: Option<String>,
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

/// Histogram buckets in seconds, from a read of one row to a call of an outside service.
const BUCKETS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0];

/// Histogram buckets in seconds, from a job with one statement to a job with many outside calls.
const JOB_BUCKETS: [f64; 8] = [0.001, 0.01, 0.1, 0.5, 2.5, 10.0, 60.0, 600.0];

/// Calls by operation, interface and code, with durations; refused credentials; jobs by state;
/// job runs by outcome, with durations.
///
/// All labels are names of the code, never a caller's text. The durations have no label for the
/// code, which would multiply their buckets.
pub struct Metrics {
    registry: Mutex<Registry>,
    calls: Family<CallLabels, CounterWithExemplar<TraceLabel>>,
    seconds: Family<OperationLabels, HistogramWithExemplars<TraceLabel>>,
    refused_credentials: Counter,
    detached: Gauge,
    job_rows: RowCounts<JobRowLabels>,
    job_runs: Family<JobRunLabels, Counter>,
    job_seconds: Family<JobLabels, Histogram>,
    jobs_running: Family<JobLabels, Gauge>,
    work: RowCounts<WorkLabels>,
}

/// Gauges of rows in the database, and the labels that have a gauge.
struct RowCounts<L> {
    gauges: Family<L, Gauge>,
    labels: Mutex<HashSet<L>>,
}

impl<L> Default for RowCounts<L>
where
    L: Clone + Eq + Hash,
{
    fn default() -> Self {
        Self {
            gauges: Family::default(),
            labels: Mutex::default(),
        }
    }
}

impl<L: Clone + Eq + Hash> RowCounts<L> {
    /// Sets the gauges to `counts`. Then removes the gauges of the `counted` labels that no longer
    /// have rows. Gauges that still have rows are not removed and created again, because another
    /// scrape may read them in between.
    fn replace_counts(&self, counted: impl Fn(&L) -> bool, counts: impl Iterator<Item = (L, i64)>) {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gone: HashSet<L> = labels.extract_if(counted).collect();
        for (label, count) in counts {
            self.gauges.get_or_create(&label).set(count);
            gone.remove(&label);
            labels.insert(label);
        }
        for label in gone {
            self.gauges.remove(&label);
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let mut all = Registry::default();
        let registry = all.sub_registry_with_prefix("pauta");
        let calls = Family::default();
        let seconds = Family::new_with_constructor(
            (|| HistogramWithExemplars::new(BUCKETS.into_iter())) as fn() -> _,
        );
        let refused_credentials = Counter::default();
        let detached = Gauge::default();
        let (job_rows, job_runs) = (RowCounts::default(), Family::default());
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
        registry.register("jobs", "Jobs in the database", job_rows.gauges.clone());
        registry.register("job_runs", "Runs of jobs that ended", job_runs.clone());
        registry.register("job_seconds", "Duration of runs", job_seconds.clone());
        registry.register(
            "jobs_running",
            "Jobs that run on this instance",
            jobs_running.clone(),
        );
        let work = RowCounts::default();
        registry.register("work", "Work of the areas by state", work.gauges.clone());
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
    pub(super) fn record_call(&self, call: CallOutcome) {
        let CallOutcome {
            operation,
            door,
            status,
            code,
            took,
            trace,
        } = call;
        let door = door.as_str();
        let exemplar = trace.map(|trace_id| TraceLabel { trace_id });
        let calls = self.calls.get_or_create(&CallLabels {
            operation,
            door,
            status,
            code,
        });
        match exemplar.clone() {
            Some(exemplar) => calls.inc_by(1, Some(exemplar), None),
            // `inc_by` without an exemplar would remove the last one.
            None => calls.inner().inc(),
        };
        drop(calls);
        self.seconds
            .get_or_create(&OperationLabels { operation, door })
            .observe(took.as_secs_f64(), exemplar, None);
    }

    pub(super) fn count_refused_credential(&self) {
        self.refused_credentials.inc();
    }

    /// Returns the gauge of outside writes in progress.
    pub(super) fn detached_gauge(&self) -> &Gauge {
        &self.detached
    }

    pub(super) fn record_job_start(&self, job: &'static str) {
        self.jobs_running.get_or_create(&JobLabels { job }).inc();
    }

    /// Counts a run. `took` is `None` for a job that did not start.
    pub(super) fn record_job_end(
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
    pub(super) fn set_job_counts(&self, counts: Vec<store::jobs::Count>) {
        let counts = counts.into_iter().map(|count| {
            let store::jobs::Count { name, state, jobs } = count;
            (JobRowLabels { job: name, state }, jobs)
        });
        self.job_rows.replace_counts(|_| true, counts);
    }

    /// Sets the counts of one kind of work by state.
    pub(super) fn set_work_counts(&self, kind: &'static str, counts: Vec<(String, i64)>) {
        let counts = counts.into_iter();
        let counts = counts.map(|(state, count)| (WorkLabels { kind, state }, count));
        self.work
            .replace_counts(|labels| labels.kind == kind, counts);
    }

    /// Adds a source of measures from another part of the service, read at each scrape.
    pub fn add_source(&self, source: impl Fn() -> Vec<Measure> + Send + Sync + 'static) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register_collector(Box::new(Source(source)));
    }

    /// Returns the text of `/metrics`.
    #[must_use]
    pub fn render_text(&self) -> String {
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
    fn setting_the_counts_of_one_kind_keeps_the_others() {
        let metrics = Metrics::default();
        let count = |state: &str, count| vec![(state.to_owned(), count)];
        metrics.set_work_counts("publications", count("published", 2));
        metrics.set_work_counts("videos", count("running", 3));
        metrics.set_work_counts("videos", count("done", 4));
        let shown = |labels: &str| {
            metrics
                .render_text()
                .contains(&format!("pauta_work{{{labels}"))
        };
        assert!(shown(r#"kind="publications",state="published"} 2"#));
        assert!(shown(r#"kind="videos",state="done"} 4"#));
        assert!(!shown(r#"kind="videos",state="running""#));
        metrics.set_work_counts("publications", vec![]);
        assert!(!shown(r#"kind="publications""#));
        assert!(shown(r#"kind="videos",state="done"} 4"#));
    }

    #[test]
    fn calls_are_counted_by_operation_interface_and_status() {
        let metrics = Metrics::default();
        let call = |status, code, trace: Option<&str>| CallOutcome {
            operation: "get_me",
            door: Door::Mcp,
            status,
            code,
            took: Duration::from_millis(2),
            trace: trace.map(str::to_owned),
        };
        metrics.record_call(call(404, "NOT_FOUND", None));
        metrics.record_call(call(200, NO_CODE, Some("4bf9")));
        metrics.record_call(call(200, NO_CODE, None));
        metrics.count_refused_credential();
        let text = metrics.render_text();
        for line in [
            r#"pauta_calls_total{operation="get_me",door="mcp",status="404",code="NOT_FOUND"} 1"#,
            // A call without a recorded trace keeps the exemplar of an earlier call with a recorded
            // trace.
            r#"pauta_calls_total{operation="get_me",door="mcp",status="200",code="OK"} 2 # {trace_id="4bf9"} 1.0"#,
            r#"pauta_call_seconds_bucket{le="0.0025",operation="get_me",door="mcp"} 3 # {trace_id="4bf9"} 0.002"#,
            r#"pauta_call_seconds_count{operation="get_me",door="mcp"} 3"#,
            "pauta_refused_credentials_total 1",
        ] {
            assert!(text.lines().any(|served| served == line), "{line}\n{text}");
        }
    }
}
