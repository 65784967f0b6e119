//! Measures how many jobs per second a worker claims and completes, and how often an idle worker
//! polls.
//!
//! `cargo bench --bench jobs`. For PostgreSQL, set `PAUTA_BENCH_DATABASE_URL=postgres://…/db` to an
//! empty database. The jobs do nothing, so that only the queue is measured.

#[path = "support/config.rs"]
mod config;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use gateway::jobs::{Job, JobContext, JobEntry, JobOutcome, Worker};
use pauta::{
    app::{self, App, SystemClock},
    config::Config,
};
use ports::Clock;
use serde::{Deserialize, Serialize};

const JOBS: usize = 20_000;
/// Jobs that are enqueued in one transaction.
const BATCH: usize = 500;
/// Jobs that are enqueued one by one, each in its own transaction.
const SINGLE: usize = 2_000;
const IDLE: Duration = Duration::from_secs(5);
/// The minimum number of jobs claimed and completed per second.
const TARGET: f64 = 1_000.0;

static RAN: AtomicUsize = AtomicUsize::new(0);

/// The system clock, which counts its reads. A worker reads it in every turn.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Clock for Counting {
    fn now(&self) -> i64 {
        self.0.fetch_add(1, SeqCst);
        SystemClock.now()
    }
}

#[derive(Serialize, Deserialize)]
struct Nothing {
    number: usize,
}

impl Job for Nothing {
    const NAME: &'static str = "nothing";

    async fn run(self, _: &JobContext) -> JobOutcome {
        RAN.fetch_add(1, SeqCst);
        JobOutcome::Done
    }
}

const ENTRIES: &[JobEntry] = &[JobEntry::for_job::<Nothing>()];

#[tokio::main]
async fn main() -> Result<()> {
    // `cargo test --benches` runs this program without the flag.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let directory = tempfile::tempdir()?;
    let config = config::config(directory.path())?;
    app::migrate(&app::open_database(&config).await?).await?;
    let clock = Arc::new(Counting::default());
    let (one, two) = (
        open_app(&config, clock.clone()).await?,
        open_app(&config, clock.clone()).await?,
    );

    enqueue_all(&one).await?;
    let began = Instant::now();
    build_worker(&one).drain().await?;
    let rate = print_rate("one worker", JOBS, began);
    if config.database_url.starts_with("sqlite:") {
        let judged = if rate >= TARGET { "met" } else { "MISSED" };
        println!("target {TARGET:.0} jobs/s: {judged}");
    }

    enqueue_all(&one).await?;
    let (mut first, mut second) = (build_worker(&one), build_worker(&two));
    let began = Instant::now();
    tokio::try_join!(first.drain(), second.drain())?;
    print_rate("two workers", JOBS, began);

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stopped = async move { drop(stopped.await) };
    let running = tokio::spawn(build_worker(&one).run(stopped));
    let began = Instant::now();
    for number in 0..SINGLE {
        enqueue(&one, number..number + 1).await?;
    }
    while RAN.load(SeqCst) < 2 * JOBS + SINGLE {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    print_rate("enqueued one by one, while they run", SINGLE, began);

    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = clock.0.load(SeqCst);
    tokio::time::sleep(IDLE).await;
    let turns = clock.0.load(SeqCst) - before;
    println!("turns of an idle worker in {IDLE:.0?}: {turns}");
    let _ = stop.send(());
    running.await?;
    ensure!(RAN.load(SeqCst) == 2 * JOBS + SINGLE, "a job ran twice");
    Ok(())
}

async fn open_app(config: &Config, clock: Arc<Counting>) -> Result<App> {
    let db = app::open_database(config).await?;
    app::assemble(config, db, "http://127.0.0.1:8080".into(), clock).await
}

fn build_worker(app: &App) -> Worker {
    Worker::new(app.gateway.clone(), ENTRIES)
}

async fn enqueue_all(app: &App) -> Result<()> {
    let began = Instant::now();
    for batch in 0..JOBS / BATCH {
        enqueue(app, batch * BATCH..(batch + 1) * BATCH).await?;
    }
    print_rate("enqueued", JOBS, began);
    Ok(())
}

async fn enqueue(app: &App, numbers: std::ops::Range<usize>) -> Result<()> {
    let services = &app.gateway.services;
    let tx = services.db.begin().await?;
    for number in numbers {
        let job = Nothing { number };
        let now = services.clock.now();
        job.enqueue(&services.queue, &tx.conn(), now).await?;
    }
    Ok(tx.commit().await?)
}

fn print_rate(what: &str, jobs: usize, began: Instant) -> f64 {
    let took = began.elapsed();
    let rate = jobs as f64 / took.as_secs_f64();
    println!("{what}: {jobs} jobs in {took:.2?}, {rate:.0} jobs/s");
    rate
}
