//! Measures how fast events are received, before and while they are counted, and how fast purchases
//! are imported.
//!
//! `cargo bench --bench timeline`. Events arrive in batches of 50 through the router. The baseline
//! is rusqlite inserting the same rows in one transaction, on the same disk and with the same
//! durability: first only the events, then also the sessions that the service stores. A single
//! caller inserts the baseline rows, because SQLite has one writer.
//!
//! Then the service's worker counts the received events while callers keep sending for [`LENGTH`]
//! seconds. The rate of each second is compared with the rate of the baseline inserts, which are
//! measured before and after this phase. The import runs the command with two files of `--rows`
//! purchases, one of a month and one of a year. `--only events` and `--only imports` skip the other
//! part.

#[path = "timeline/by_hand.rs"]
mod by_hand;
#[path = "timeline/imports.rs"]
mod imports;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use axum::{
    Router,
    body::Body,
    http::{Request, header},
};
use pauta::{
    app::{self, App, SystemClock},
    config::{Config, Sources},
};
use sea_orm::{ConnectionTrait, Statement};
use tower::ServiceExt;

use by_hand::{Raw, Rows, request_body};

/// The same allocator as in the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TOKEN: &str = "segredo-da-medida";
const ROUNDS: usize = 7;
const BATCHES: usize = 200;
/// Numbers of simultaneous callers.
const CALLERS: [usize; 3] = [1, 8, 32];
/// The minimum rate of the service, as a share of the rate of the baseline inserts.
const LEAST_RATIO: f64 = 0.7;
/// The minimum rate in nine of ten seconds while the service counts, as a share of the rate of the
/// baseline inserts.
const LEAST_COUNTING: f64 = 0.5;
/// Seconds for which callers send while the service counts.
const LENGTH: usize = 20;
/// Rows of an imported file.
const ROWS: usize = 200_000;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this without the flag.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let given = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1))
    };
    let only = given("--only").map(String::as_str);
    if only != Some("imports") {
        measure_ingestion().await?;
    }
    if only != Some("events") {
        let rows = given("--rows").and_then(|rows| rows.parse().ok());
        imports::run(rows.unwrap_or(ROWS))?;
    }
    Ok(())
}

/// The service, and two baselines that insert the same rows.
struct Measured {
    app: App,
    router: Router,
    raw: Raw,
    with_sessions: Raw,
    /// The number of the next batch.
    next: usize,
}

impl Measured {
    async fn open(folder: &Path) -> Result<Self> {
        let url = std::env::var("PAUTA_BENCH_DATABASE_URL");
        let embedded = format!("sqlite://{}", folder.join("pauta.db").display());
        let config = Config::read(&Sources::from_pairs([
            ("PAUTA_DATABASE_URL", url.unwrap_or(embedded)),
            ("PAUTA_SECRET", "only for measuring, and long enough".into()),
            ("PAUTA_STORAGE", folder.display().to_string()),
            ("PAUTA_JORNADA_TOKEN", TOKEN.into()),
        ]))?;
        let db = app::open_database(&config).await?;
        app::migrate(&db).await?;
        let (address, clock) = ("http://127.0.0.1:8080".into(), Arc::new(SystemClock));
        let app = app::assemble(&config, db, address, clock).await?;
        Ok(Self {
            router: pauta::router(&app),
            app,
            raw: Raw::open(&folder.join("raw.db")).await?,
            with_sessions: Raw::open(&folder.join("sessions.db")).await?,
            next: 0,
        })
    }

    /// Measures three times for the same [`BATCHES`] batches: the time to send them to the service, the
    /// time to insert their events directly, and the time to insert their events and sessions directly.
    async fn measure_round(&mut self, callers: usize) -> Result<[Duration; 3]> {
        let batches = self.next..self.next + BATCHES;
        self.next = batches.end;
        let mut took = [Duration::ZERO; 3];
        if callers == 1 {
            for batch in batches {
                let (body, rows) = (request_body(batch), Rows::for_batch(batch));
                let began = Instant::now();
                send_batch(&self.router, body).await?;
                took[0] += began.elapsed();
                took[1] += self.raw.insert_rows(&rows, false)?;
                took[2] += self.with_sessions.insert_rows(&rows, true)?;
            }
            return Ok(took);
        }
        let bodies: Vec<String> = batches.clone().map(request_body).collect();
        let began = Instant::now();
        let callers: Vec<_> = bodies
            .chunks(BATCHES.div_ceil(callers))
            .map(|share| {
                let (router, share) = (self.router.clone(), share.to_vec());
                tokio::spawn(async move {
                    for body in share {
                        send_batch(&router, body).await?;
                        // Yields like a connection that waits for its next request.
                        tokio::task::yield_now().await;
                    }
                    Ok::<_, anyhow::Error>(())
                })
            })
            .collect();
        for caller in callers {
            caller.await??;
        }
        took[0] = began.elapsed();
        for batch in batches {
            let rows = Rows::for_batch(batch);
            took[1] += self.raw.insert_rows(&rows, false)?;
            took[2] += self.with_sessions.insert_rows(&rows, true)?;
        }
        Ok(took)
    }

    /// Returns two rates in batches per second: of direct inserts of events, and of direct inserts of
    /// events and sessions.
    fn measure_inserts(&mut self) -> Result<[f64; 2]> {
        let mut took = [Duration::ZERO; 2];
        for batch in self.next..self.next + BATCHES {
            let rows = Rows::for_batch(batch);
            took[0] += self.raw.insert_rows(&rows, false)?;
            took[1] += self.with_sessions.insert_rows(&rows, true)?;
        }
        self.next += BATCHES;
        Ok(took.map(|took| BATCHES as f64 / took.as_secs_f64()))
    }

    /// Sends batches for [`LENGTH`] seconds. Returns the rate of received batches in each second.
    async fn measure_each_second(&mut self, callers: usize) -> Result<Vec<f64>> {
        let next = Arc::new(AtomicUsize::new(self.next));
        let (done, ended) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let callers: Vec<_> = (0..callers)
            .map(|_| {
                let (router, next) = (self.router.clone(), next.clone());
                let (done, ended) = (done.clone(), ended.clone());
                tokio::spawn(async move {
                    while !ended.load(SeqCst) {
                        send_batch(&router, request_body(next.fetch_add(1, SeqCst))).await?;
                        done.fetch_add(1, SeqCst);
                        tokio::task::yield_now().await;
                    }
                    Ok::<_, anyhow::Error>(())
                })
            })
            .collect();
        let mut rates = vec![];
        for _ in 0..LENGTH {
            let (began, before) = (Instant::now(), done.load(SeqCst));
            tokio::time::sleep(Duration::from_secs(1)).await;
            let received = done.load(SeqCst) - before;
            rates.push(received as f64 / began.elapsed().as_secs_f64());
        }
        ended.store(true, SeqCst);
        for caller in callers {
            caller.await??;
        }
        self.next = next.load(SeqCst);
        Ok(rates)
    }

    /// Reads the number of sessions that are not counted yet.
    async fn count_stale_sessions(&self) -> Result<i64> {
        let db = self.app.gateway.services.db.reader();
        let sql = "SELECT COUNT(*) AS marked FROM timeline_sessions WHERE stale = 1";
        let statement = Statement::from_string(db.get_database_backend(), sql);
        let row = db.query_one_raw(statement).await?;
        Ok(row.map_or(Ok(0), |row| row.try_get("", "marked"))?)
    }
}

async fn measure_ingestion() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let mut measured = Measured::open(directory.path()).await?;
    for callers in CALLERS {
        let mut ratios = [vec![], vec![]];
        for _ in 0..ROUNDS {
            let took = measured.measure_round(callers).await?;
            let [service, raw, with_sessions] =
                took.map(|took| took.as_secs_f64() / BATCHES as f64 * 1e6);
            ratios[0].push(raw / service);
            ratios[1].push(with_sessions / service);
            println!(
                "{callers} callers, a batch: {service:.0} µs received, {raw:.0} inserted, \
                 {with_sessions:.0} with sessions"
            );
        }
        let [ratio, with_sessions] = ratios.map(|mut ratios| median(&mut ratios));
        let judged = verdict(ratio >= LEAST_RATIO);
        println!("median {ratio:.2} of raw inserts, target {LEAST_RATIO}: {judged}");
        println!("median {with_sessions:.2} of raw inserts with the rows of the sessions");
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stopped = async move { drop(stopped.await) };
    let worker = tokio::spawn(measured.app.worker().run(stopped));
    for callers in CALLERS {
        measure_while_counting(&mut measured, callers).await?;
    }
    drop(stop);
    Ok(worker.await?)
}

async fn measure_while_counting(measured: &mut Measured, callers: usize) -> Result<()> {
    let before = measured.measure_inserts()?;
    let rates = measured.measure_each_second(callers).await?;
    let (left, began) = (measured.count_stale_sessions().await?, Instant::now());
    while measured.count_stale_sessions().await? > 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let counted = began.elapsed();
    let after = measured.measure_inserts()?;
    let [raw, with_sessions] = [0, 1].map(|at| f64::midpoint(before[at], after[at]));
    let mut ratios: Vec<f64> = rates.iter().map(|rate| rate / raw).collect();
    let shown: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
    println!(
        "{callers} callers while it counts, of raw inserts: {}",
        shown.join(" ")
    );
    let median = median(&mut ratios);
    let (lowest, tenth) = (ratios[0], ratios[LENGTH / 10]);
    let judged = verdict(tenth >= LEAST_COUNTING);
    println!(
        "median {median:.2}, nine of ten seconds {tenth:.2}, lowest {lowest:.2}, target \
         {LEAST_COUNTING}: {judged}; median {:.2} with the rows of the sessions",
        median * raw / with_sessions
    );
    println!("{left} sessions were left, and counted in {counted:.1?}");
    Ok(())
}

/// Sorts the ratios and returns the middle one.
fn median(ratios: &mut [f64]) -> f64 {
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

async fn send_batch(router: &Router, body: String) -> Result<()> {
    let request = Request::post("/api/jornada/eventos")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::HOST, "127.0.0.1:8080")
        .header("x-jornada-token", TOKEN)
        .body(Body::from(body))?;
    let answer = router.clone().oneshot(request).await?;
    ensure!(answer.status() == 200, "refused: {}", answer.status());
    Ok(())
}
