//! How fast events are received, and how fast purchases are imported.
//!
//! `cargo bench --bench timeline`. Events arrive in batches of 50 through the router, and are
//! compared with rusqlite inserting the same rows in one transaction, on the same disk and with the
//! same durability: only the events, and the events with the sessions that the service stores too.
//! The rows are ready before the clock starts, like the bodies of the requests. Each takes one batch
//! in turn. Then [`CALLERS`] send at once, and the rows are inserted by one, because SQLite has one
//! writer. The import is the command, with a file of `--rows` purchases.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use axum::{
    Router,
    body::Body,
    http::{Request, header},
};
use domain::TimelineSessionId;
use pauta::{
    app::{self, SystemClock},
    config::{Config, Sources},
};
use ports::Clock;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use tower::ServiceExt;

/// As in the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TOKEN: &str = "segredo-da-medida";
const BATCH: usize = 50;
/// Events of one session.
const OF_A_SESSION: usize = 5;
const ROUNDS: usize = 7;
const BATCHES: usize = 200;
/// Callers who send at once.
const CALLERS: usize = 8;
/// The rate of raw inserts that the service reaches.
const LEAST_RATIO: f64 = 0.7;
/// Rows that an import reads in a second.
const LEAST_ROWS: f64 = 50_000.0;
const ROWS: usize = 200_000;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this without the flag.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let rows = arguments.iter().position(|argument| argument == "--rows");
    let rows = rows.and_then(|at| arguments.get(at + 1)?.parse().ok());
    ingestion().await?;
    import(rows.unwrap_or(ROWS))
}

async fn ingestion() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let url = std::env::var("PAUTA_BENCH_DATABASE_URL");
    let embedded = format!("sqlite://{}", directory.path().join("pauta.db").display());
    let config = Config::read(&Sources::of([
        ("PAUTA_DATABASE_URL", url.unwrap_or(embedded)),
        ("PAUTA_SECRET", "only for measuring, and long enough".into()),
        ("PAUTA_STORAGE", directory.path().display().to_string()),
        ("PAUTA_JORNADA_TOKEN", TOKEN.into()),
    ]))?;
    let db = app::open_database(&config).await?;
    app::migrate(&db).await?;
    let app = app::assemble(
        &config,
        db,
        "http://127.0.0.1:8080".into(),
        Arc::new(SystemClock),
    )
    .await?;
    let router = pauta::router(&app);
    let mut raw = Raw::open(&directory.path().join("raw.db")).await?;
    let mut with_sessions = Raw::open(&directory.path().join("sessions.db")).await?;

    for callers in [1, CALLERS] {
        let mut ratios = [vec![], vec![]];
        for round in 0..ROUNDS {
            let first = (round + callers * ROUNDS) * BATCHES;
            let took = if callers == 1 {
                in_turn(first, &router, &mut raw, &mut with_sessions).await?
            } else {
                at_once(first, &router, &mut raw, &mut with_sessions).await?
            };
            let [service, raw, with_sessions] =
                took.map(|took| took.as_secs_f64() / BATCHES as f64 * 1e6);
            ratios[0].push(raw / service);
            ratios[1].push(with_sessions / service);
            println!(
                "{callers} callers, a batch: {service:.0} µs received, {raw:.0} inserted, \
                 {with_sessions:.0} with sessions"
            );
        }
        let [ratio, with_sessions] = ratios.map(|mut ratios| {
            ratios.sort_by(f64::total_cmp);
            ratios[ROUNDS / 2]
        });
        let judged = if ratio >= LEAST_RATIO {
            "met"
        } else {
            "MISSED"
        };
        println!("median {ratio:.2} of raw inserts, target {LEAST_RATIO}: {judged}");
        println!("median {with_sessions:.2} of raw inserts with the rows of the sessions");
    }
    Ok(())
}

/// How long batches take: sent, inserted, and inserted with their sessions.
async fn in_turn(
    first: usize,
    router: &Router,
    raw: &mut Raw,
    with_sessions: &mut Raw,
) -> Result<[Duration; 3]> {
    let mut took = [Duration::ZERO; 3];
    for batch in first..first + BATCHES {
        let (body, rows) = (body(batch), Rows::of(batch));
        let began = Instant::now();
        send(router, body).await?;
        took[0] += began.elapsed();
        took[1] += raw.insert(&rows, false)?;
        took[2] += with_sessions.insert(&rows, true)?;
    }
    Ok(took)
}

/// The same, with [`CALLERS`] who send.
async fn at_once(
    first: usize,
    router: &Router,
    raw: &mut Raw,
    with_sessions: &mut Raw,
) -> Result<[Duration; 3]> {
    let all: Vec<usize> = (first..first + BATCHES).collect();
    let shares: Vec<Vec<String>> = all
        .chunks(BATCHES / CALLERS)
        .map(|share| share.iter().map(|batch| body(*batch)).collect())
        .collect();
    let began = Instant::now();
    let callers: Vec<_> = shares
        .into_iter()
        .map(|share| {
            let router = router.clone();
            tokio::spawn(async move {
                for body in share {
                    send(&router, body).await?;
                    // As a connection waits for its next request.
                    tokio::task::yield_now().await;
                }
                Ok::<_, anyhow::Error>(())
            })
        })
        .collect();
    for caller in callers {
        caller.await??;
    }
    let mut took = [began.elapsed(), Duration::ZERO, Duration::ZERO];
    for batch in all {
        let rows = Rows::of(batch);
        took[1] += raw.insert(&rows, false)?;
        took[2] += with_sessions.insert(&rows, true)?;
    }
    Ok(took)
}

/// The session, id and page of each event of a batch.
fn events(batch: usize) -> impl Iterator<Item = (String, String, String)> {
    (0..BATCH).map(move |event| {
        let session = format!("navegador-{batch}-{}", event / OF_A_SESSION);
        (session, format!("e-{event}"), format!("/pagina/{event}"))
    })
}

/// A batch as its site writes it.
fn body(batch: usize) -> String {
    let events: Vec<Value> = events(batch)
        .map(|(session, id, page)| {
            json!({
                "evento": "visitou_pagina", "sessao": session, "id": id, "lancamento": "vera",
                "detalhe": { "pagina": page, "utm_source": "instagram", "utm_medium": "social" },
            })
        })
        .collect();
    json!({ "eventos": events }).to_string()
}

async fn send(router: &Router, body: String) -> Result<()> {
    let request = Request::post("/api/jornada/eventos")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::HOST, "127.0.0.1:8080")
        .header("x-jornada-token", TOKEN)
        .body(Body::from(body))?;
    let answer = router.clone().oneshot(request).await?;
    ensure!(answer.status() == 200, "refused: {}", answer.status());
    Ok(())
}

/// The rows of a batch, as the service stores them.
struct Rows {
    now: i64,
    /// Id and the browser's own name.
    sessions: Vec<(TimelineSessionId, String)>,
    /// Id and detail.
    events: Vec<(String, String)>,
}

impl Rows {
    fn of(batch: usize) -> Self {
        let now = SystemClock.now();
        let names = events(batch).step_by(OF_A_SESSION).map(|(name, ..)| name);
        let detail = |page| {
            format!(
                "{{\"pagina\":\"{page}\",\"utm_medium\":\"social\",\
                 \"utm_source\":\"instagram\"}}"
            )
        };
        Self {
            now,
            sessions: names
                .map(|name| (TimelineSessionId::new(now), name))
                .collect(),
            events: events(batch)
                .map(|(_, id, page)| (id, detail(page)))
                .collect(),
        }
    }
}

/// The same rows without the service.
struct Raw(Connection);

impl Raw {
    async fn open(file: &Path) -> Result<Self> {
        let config = Config::read(&Sources::of([(
            "PAUTA_DATABASE_URL",
            format!("sqlite://{}", file.display()),
        )]))?;
        let db = app::open_database(&config).await?;
        app::migrate(&db).await?;
        drop(db);
        let raw = Connection::open(file)?;
        raw.pragma_update(None, "journal_mode", "WAL")?;
        raw.pragma_update(None, "synchronous", "FULL")?;
        Ok(Self(raw))
    }

    /// How long it took.
    fn insert(&mut self, rows: &Rows, with_sessions: bool) -> Result<Duration> {
        let (began, now) = (Instant::now(), rows.now);
        let tx = self.0.transaction()?;
        if with_sessions {
            let mut insert = tx.prepare_cached(
                "INSERT INTO timeline_sessions (id, session, first_at, last_at)
                 VALUES (?1, ?2, ?3, ?3)",
            )?;
            for (id, name) in &rows.sessions {
                insert.execute(params![id.as_str(), name, now])?;
            }
        }
        {
            let mut insert = tx.prepare_cached(
                "INSERT INTO timeline_events (session_id, id, occurred_at, received_at, kind,
                    launch, channel, detail) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)",
            )?;
            for (at, (id, detail)) in rows.events.iter().enumerate() {
                insert.execute(params![
                    rows.sessions[at / OF_A_SESSION].0.as_str(),
                    id,
                    now,
                    "visitou_pagina",
                    "vera",
                    "social",
                    detail
                ])?;
            }
        }
        tx.commit()?;
        Ok(began.elapsed())
    }
}

/// Imports a file twice: into an empty table, and again, when every row is known.
fn import(rows: usize) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("vendas.csv");
    let mut text = String::from(
        "loja;transacao;ocorreu_em;status;produto_id;produto;valor;moeda;email;utm_source\n",
    );
    for row in 0..rows {
        writeln!(
            text,
            "hotmart;HP{row:010};{:02}/08/2026 14:30;aprovada;curso-{};\"Curso; de pães\";\
             1.234,56;BRL;pessoa{}@exemplo.com.br;instagram",
            row % 28 + 1,
            row % 7,
            row % 50_000,
        )?;
    }
    fs::write(&file, text)?;
    for what in ["new rows", "known rows"] {
        let began = Instant::now();
        let done = Command::new(env!("CARGO_BIN_EXE_pauta"))
            .args(["import", "purchases", "vendas.csv"])
            .env_clear()
            .current_dir(directory.path())
            .output()?;
        let took = began.elapsed();
        ensure!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let rate = rows as f64 / took.as_secs_f64();
        let judged = if rate >= LEAST_ROWS { "met" } else { "MISSED" };
        println!("import of {rows} {what}: {rate:.0} rows/s, target {LEAST_ROWS:.0}: {judged}");
    }
    Ok(())
}
