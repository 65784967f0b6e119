//! Background jobs with a test clock, on one worker and on two workers over one database.

mod builtin;
mod leases;
mod outcomes;
mod sharing;
mod working;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::{
    Code,
    time::{DAY, MINUTE},
};
use gateway::{
    Services,
    jobs::{Backoff, Job, JobContext, JobEntry, JobOutcome, Schedule, Worker},
};
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, Semaphore};

use crate::support::TestApp;

/// The state that the jobs of a test share: the recorded runs, and a gate at which some jobs wait.
#[derive(Clone)]
struct Desk(Arc<Inner>);

struct Inner {
    /// The tag and the attempt of each run.
    ran: Mutex<Vec<(String, i64)>>,
    noted: Notify,
    gate: Semaphore,
    /// The outcome that every run of `Tick` returns.
    ticks: Mutex<JobOutcome>,
}

impl Desk {
    fn new() -> Self {
        Self(Arc::new(Inner {
            ran: Mutex::default(),
            noted: Notify::new(),
            gate: Semaphore::new(0),
            ticks: Mutex::new(JobOutcome::Done),
        }))
    }

    /// Returns the runs that began, in order.
    fn recorded_runs(&self) -> Vec<(String, i64)> {
        self.0.ran.lock().expect("no panic").clone()
    }

    fn record_run(&self, tag: &str, attempt: i64) {
        let mut ran = self.0.ran.lock().expect("no panic");
        ran.push((tag.to_owned(), attempt));
        self.0.noted.notify_one();
    }

    /// Waits until this many runs have begun.
    async fn wait_for_runs(&self, runs: usize) {
        let begun = async {
            while self.recorded_runs().len() < runs {
                self.0.noted.notified().await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(20), begun).await;
        waited
            .unwrap_or_else(|_| panic!("fewer than {runs} runs began: {:?}", self.recorded_runs()));
    }

    /// Lets this many waiting jobs continue.
    fn open_gate(&self, jobs: usize) {
        self.0.gate.add_permits(jobs);
    }
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum How {
    Done,
    /// Returns `Done` after the gate opens.
    Wait,
    Hang,
    /// Returns `Done` after two milliseconds.
    Pause,
    Panic,
    Retry,
    RetryAt(i64),
    Fail,
    Unknown,
    /// Commits an effect (another job) after the gate opens.
    Commit,
    WaitThenRetry,
}

/// A job that behaves as `how` says.
#[derive(Serialize, Deserialize)]
struct Act<const ONCE: bool> {
    tag: String,
    how: How,
    key: Option<String>,
}

type Repeatable = Act<false>;
type AtMostOnce = Act<true>;

fn repeatable_job(tag: &str, how: How) -> Repeatable {
    Act {
        tag: tag.into(),
        how,
        key: None,
    }
}

fn at_most_once_job(tag: &str, how: How) -> AtMostOnce {
    Act {
        tag: tag.into(),
        how,
        key: None,
    }
}

fn keyed_job(tag: &str, how: How) -> Repeatable {
    Act {
        key: Some("chave".into()),
        ..repeatable_job(tag, how)
    }
}

impl<const ONCE: bool> Job for Act<ONCE> {
    const NAME: &'static str = if ONCE { "act_once" } else { "act" };
    const ATTEMPTS: u32 = 3;
    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(10),
        longest: Duration::from_secs(3_600),
    };
    const AT_MOST_ONCE: bool = ONCE;
    const MOST_AT_ONCE: usize = if ONCE { 4 } else { usize::MAX };

    fn dedupe_key(&self) -> Option<String> {
        self.key.clone()
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let desk = ctx.services().parts.get::<Desk>().clone();
        desk.record_run(&self.tag, ctx.attempt);
        tracing::warn!("at work");
        let gate = async || {
            desk.0
                .gate
                .acquire()
                .await
                .expect("the gate is open")
                .forget();
        };
        match self.how {
            How::Done => JobOutcome::Done,
            How::Wait => {
                gate().await;
                JobOutcome::Done
            }
            How::Hang => std::future::pending().await,
            How::Pause => {
                tokio::time::sleep(Duration::from_millis(2)).await;
                JobOutcome::Done
            }
            How::Panic => panic!("a panic that the test asked for"),
            How::Retry => JobOutcome::Retry(Code::PROVIDER_FAILED, None),
            How::RetryAt(at) => JobOutcome::Retry(Code::RATE_LIMITED, Some(at)),
            How::Fail => JobOutcome::Failed(Code::PROVIDER_NOT_CONFIGURED),
            How::Unknown => JobOutcome::Unknown(Code::PROVIDER_TIMEOUT),
            How::Commit => {
                gate().await;
                let services = ctx.services();
                let tx = services.db.begin().await.expect("begins");
                let effect = repeatable_job("effect", How::Done);
                let enqueued = effect.enqueue(&services.queue, &tx.conn(), ctx.now).await;
                enqueued.expect("the job is enqueued");
                let committed = ctx.commit(tx).await;
                if committed.is_err() {
                    desk.record_run("refused", ctx.attempt);
                }
                JobOutcome::from_result(committed, ctx.now)
            }
            How::WaitThenRetry => {
                gate().await;
                JobOutcome::Retry(Code::PROVIDER_FAILED, None)
            }
        }
    }
}

/// A job that never ends and has a short timeout.
#[derive(Serialize, Deserialize)]
struct Slow<const ONCE: bool>;

impl<const ONCE: bool> Job for Slow<ONCE> {
    const NAME: &'static str = if ONCE { "slow_once" } else { "slow" };
    const TIMEOUT: Duration = Duration::from_millis(50);
    const AT_MOST_ONCE: bool = ONCE;

    async fn run(self, _: &JobContext) -> JobOutcome {
        std::future::pending().await
    }
}

/// A recurring job that runs every hour.
#[derive(Serialize, Deserialize)]
struct Tick;

impl Job for Tick {
    const NAME: &'static str = "tick";
    const ATTEMPTS: u32 = 2;

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(3_600), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let desk = ctx.services().parts.get::<Desk>();
        desk.record_run("tick", ctx.attempt);
        *desk.0.ticks.lock().expect("no panic")
    }
}

const ACTS: &[JobEntry] = &[
    JobEntry::for_job::<Repeatable>(),
    JobEntry::for_job::<AtMostOnce>(),
];

/// Creates a service; returns it with the shared state of its jobs and a worker that runs them.
async fn service_with_jobs() -> (TestApp, Desk, Worker) {
    let desk = Desk::new();
    let app = TestApp::new().await.with_part(desk.clone());
    let worker = new_worker(&app);
    (app, desk, worker)
}

/// Creates a second instance over the same database, with the same shared state of jobs; returns
/// the instance and its worker.
async fn add_second_instance(app: &TestApp, desk: &Desk) -> (TestApp, Worker) {
    let other = app.second_instance().await.with_part(desk.clone());
    let worker = new_worker(&other);
    (other, worker)
}

fn new_worker(app: &TestApp) -> Worker {
    Worker::new(app.app.gateway.clone(), ACTS)
}

/// Enqueues the job and commits. Returns false if a job with the same key was already queued.
async fn enqueue<J: Job + Sync>(app: &TestApp, job: J) -> bool {
    let services = &app.app.gateway.services;
    let tx = services.db.begin().await.expect("begins");
    let enqueued = job.enqueue(&services.queue, &tx.conn(), app.now()).await;
    tx.commit().await.expect("commits");
    enqueued.expect("the job is enqueued")
}

/// Returns the only row of `jobs`: state, attempts, error code, and milliseconds until it is due.
async fn load_only_job(app: &TestApp) -> (String, i64, Option<String>, Option<i64>) {
    let rows = app.query_rows("SELECT state, attempts, error_code, due_at FROM jobs".into());
    let rows = rows.await;
    assert_eq!(rows.len(), 1);
    let due_at: Option<i64> = rows[0].try_get("", "due_at").expect("an instant");
    (
        rows[0].try_get("", "state").expect("a state"),
        rows[0].try_get("", "attempts").expect("a number"),
        rows[0].try_get("", "error_code").expect("a code"),
        due_at.map(|due_at| due_at - app.now()),
    )
}

/// Lets the worker claim jobs, and waits until this many runs have begun.
async fn start_runs(worker: &mut Worker, desk: &Desk, runs: usize) {
    worker.run_turn().await.expect("a turn");
    desk.wait_for_runs(runs).await;
}

async fn drain_worker(worker: &mut Worker) {
    let drained = tokio::time::timeout(Duration::from_secs(60), worker.drain()).await;
    drained
        .expect("the jobs end in time")
        .expect("the database is there");
}

/// A duration longer than a lease.
const PAST_THE_LEASE: i64 = MINUTE + 1;
