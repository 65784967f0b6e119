//! Measures the cost of the timeline as it grows, day by day.
//!
//! `cargo bench --bench scale -- --days 10 --events 1000000`. For PostgreSQL, set
//! `PAUTA_BENCH_DATABASE_URL=postgres://…/db` to an empty database. For each day, [`CALLERS`] callers
//! send events of sites through the router, [`BATCH`] events per request, with times of that day. Then
//! the code of the service's job counts the sessions, and the dashboards are read. `--apart DAYS` is the
//! distance between two measured days, so that a few days span many months. At the end, the older half
//! of the events is deleted with the code of the retention job.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use axum::{
    Router,
    body::Body,
    http::{Request, header},
};
use domain::time::{DAY, Millis, Month};
use gateway::Principal;
use pauta::{
    app::{self, App},
    config::{Config, Sources},
};
use ports::Clock;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::{Value, json};
use tools::operator::{self, NewAdmin};
use tower::ServiceExt;

/// The same allocator as in the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TOKEN: &str = "segredo-da-medida";
const EMAIL: &str = "ana@example.org";
/// 2026-01-01T03:00:00Z, the first instant of the year in Brasilia.
const START: Millis = 1_767_236_400_000;
/// Events per request.
const BATCH: usize = 50;
/// Events per session. In every second session, one event names the person.
const OF_SESSION: usize = 10;
const CALLERS: usize = 8;
/// The number of reads of each dashboard.
const READS: usize = 20;
/// The number of rows that one `DELETE` of the retention removes, the same as in the service's job.
const DELETED: i64 = 5_000;

/// A clock that the bench sets.
#[derive(Default)]
struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Millis {
        self.0.load(SeqCst)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this program without the flag.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let number = |name: &str, default: usize| -> Result<usize> {
        let at = arguments.iter().position(|argument| argument == name);
        let value = at.and_then(|at| arguments.get(at + 1));
        value.map_or(Ok(default), |value| {
            value
                .parse()
                .with_context(|| format!("{name} takes a number"))
        })
    };
    let (days, events) = (number("--days", 3)?, number("--events", 100_000)?);
    let apart = i64::try_from(number("--apart", 1)?)?;
    let directory = tempfile::tempdir()?;
    let measured = Measured::open(directory.path()).await?;
    println!(
        "| events | received/s | counted in | events counted/s | funnel p50 | health p50 | profile p50 | \
         bytes an event | resident MB |\n|---|---|---|---|---|---|---|---|---|"
    );
    for day in 0..days {
        measured.measure_day(day, events, apart).await?;
    }
    let middle = START + i64::try_from(days)? / 2 * apart * DAY;
    measured
        .measure_retention(Month::from_instant(middle).first_instant())
        .await
}

struct Measured {
    app: App,
    router: Router,
    clock: Arc<SetClock>,
    caller: Principal,
    launch: Value,
    /// The embedded database's file.
    file: PathBuf,
}

impl Measured {
    async fn open(folder: &Path) -> Result<Self> {
        let file = folder.join("pauta.db");
        let url = std::env::var("PAUTA_BENCH_DATABASE_URL");
        let config = Config::read(&Sources::from_pairs([
            (
                "PAUTA_DATABASE_URL",
                url.unwrap_or(format!("sqlite://{}", file.display())),
            ),
            ("PAUTA_SECRET", "only for measuring, and long enough".into()),
            ("PAUTA_STORAGE", folder.display().to_string()),
            ("PAUTA_JORNADA_TOKEN", TOKEN.into()),
        ]))?;
        let db = app::open_database(&config).await?;
        app::migrate(&db).await?;
        let clock = Arc::new(SetClock(AtomicI64::new(START)));
        let app = app::assemble(&config, db, "http://127.0.0.1:8080".into(), clock.clone()).await?;
        let admin = NewAdmin {
            name: "Ana".into(),
            email: EMAIL.into(),
            financeiro: true,
            password: None,
        };
        operator::create_admin(&app.gateway, admin).await?;
        let caller = operator::principal_by_email(&app.gateway, EMAIL).await?;
        let launch = create_launch(&app, &caller).await?;
        Ok(Self {
            router: pauta::router(&app),
            app,
            clock,
            caller,
            launch,
            file,
        })
    }

    /// Receives and counts the events of a day, and reads the dashboards.
    async fn measure_day(&self, day: usize, events: usize, apart: i64) -> Result<()> {
        let from = START + i64::try_from(day)? * apart * DAY;
        self.prepare_months(from).await?;
        let batches = events / BATCH;
        let next = Arc::new(AtomicUsize::new(0));
        let began = Instant::now();
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| {
                let (router, clock, next) = (self.router.clone(), self.clock.clone(), next.clone());
                tokio::spawn(async move {
                    loop {
                        let batch = next.fetch_add(1, SeqCst);
                        if batch >= batches {
                            return Ok::<_, anyhow::Error>(());
                        }
                        let passed = i64::try_from(batch)? * DAY / i64::try_from(batches)?;
                        clock.0.store(from + passed, SeqCst);
                        send_batch(&router, request_body(day * batches + batch)).await?;
                        // Yields like a connection that waits for its next request.
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await??;
        }
        let received = began.elapsed();
        self.clock.0.store(from + DAY, SeqCst);
        let began = Instant::now();
        tools::figures::count_marked_rows(&self.app.gateway.services.db, from + DAY).await?;
        let counted = began.elapsed();
        let person = json!({ "email": email(day * events / OF_SESSION) });
        let reads = [
            ("get_launch_timeline_funnel", &self.launch),
            ("get_launch_health", &self.launch),
            ("get_personal_profile", &person),
        ];
        let mut cells = String::new();
        for (operation, input) in reads {
            write!(
                cells,
                " {:.2} ms |",
                self.measure_read(operation, input).await?
            )?;
        }
        let total = (day + 1) * events;
        println!(
            "| {total} | {:.0} | {counted:.1?} | {:.0} |{cells} {} | {} |",
            events as f64 / received.as_secs_f64(),
            events as f64 / counted.as_secs_f64(),
            self.count_bytes().await? / u64::try_from(total)?,
            resident_megabytes(),
        );
        Ok(())
    }

    /// Creates the partitions of the month, as the service's job does ahead of time.
    async fn prepare_months(&self, at: Millis) -> Result<()> {
        let month = Month::from_instant(at);
        let months = [month, month.plus_months(1)].map(Month::first_instant);
        let tx = self.app.gateway.services.db.begin().await?;
        store::timeline::prepare_partitions(&tx.conn(), months).await?;
        Ok(tx.commit().await?)
    }

    /// Measures the median time of a read in milliseconds.
    async fn measure_read(&self, operation: &str, input: &Value) -> Result<f64> {
        let mut times = vec![];
        for _ in 0..READS {
            let began = Instant::now();
            operator::run_operation(&self.app.gateway, &self.caller, operation, input.clone())
                .await?;
            times.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[READS / 2])
    }

    async fn measure_retention(&self, before: Millis) -> Result<()> {
        let (began, mut calls, mut longest) = (Instant::now(), 0, Duration::ZERO);
        loop {
            let step = Instant::now();
            let tx = self.app.gateway.services.db.begin().await?;
            let deleted = store::timeline::delete_old_data(&tx.conn(), before, DELETED).await?;
            tx.commit().await?;
            longest = longest.max(step.elapsed());
            calls += 1;
            if deleted == 0 {
                break;
            }
        }
        println!(
            "the months before the middle were deleted in {:.1?}, in {calls} transactions of at most {longest:.1?}",
            began.elapsed()
        );
        Ok(())
    }

    async fn count_bytes(&self) -> Result<u64> {
        let db = self.app.gateway.services.db.reader();
        if db.get_database_backend() != DbBackend::Postgres {
            let wal = self.file.with_extension("db-wal");
            let length = |file: &Path| file.metadata().map_or(0, |file| file.len());
            return Ok(length(&self.file) + length(&wal));
        }
        let sql = "SELECT pg_database_size(current_database()) AS bytes";
        let row = db
            .query_one_raw(Statement::from_string(DbBackend::Postgres, sql))
            .await?;
        let bytes: i64 = row.context("a row")?.try_get("", "bytes")?;
        Ok(u64::try_from(bytes)?)
    }
}

/// Creates a launch over the whole year and returns the input of its dashboards.
async fn create_launch(app: &App, caller: &Principal) -> Result<Value> {
    let input = json!({ "name": "Lançamento" });
    let project = operator::run_operation(&app.gateway, caller, "create_project", input).await?;
    let id = project["project"]["id"].clone();
    let input = json!({
        "projetoId": id, "nome": "Lançamento", "inicio": "2026-01-01", "fim": "2027-12-31",
        "meta_centavos": 1_000_000_000, "produtos": ["p1"], "campanhas": ["c*"], "lancamento": "vera",
    });
    operator::run_operation(&app.gateway, caller, "put_launch_dashboard", input).await?;
    Ok(json!({ "projetoId": id }))
}

fn email(session: usize) -> String {
    format!("pessoa{}@example.org", session / 2 % 1_000_000)
}

/// Returns the request body of a batch, as sites send it.
fn request_body(batch: usize) -> String {
    let events: Vec<Value> = (0..BATCH)
        .map(|event| {
            let session = (batch * BATCH + event) / OF_SESSION;
            let (name, id) = (
                format!("navegador-{session}"),
                format!("e-{}", event % OF_SESSION),
            );
            match event % OF_SESSION {
                4 if session.is_multiple_of(2) => json!({
                    "evento": "identificou", "sessao": name, "id": id, "email": email(session),
                }),
                _ => json!({
                    "evento": "visitou_pagina", "sessao": name, "id": id, "lancamento": "vera",
                    "detalhe": {
                        "pagina": format!("/pagina/{}", event % OF_SESSION),
                        "utm_source": "instagram", "utm_medium": "social",
                        "utm_campaign": format!("campanha-{}", session % 50),
                    },
                }),
            }
        })
        .collect();
    json!({ "eventos": events }).to_string()
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

/// Returns the resident memory of this process in megabytes.
fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1_024
}
