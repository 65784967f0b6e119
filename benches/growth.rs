//! Measures how the agenda's lists and searches slow down as the number of events grows.
//!
//! `cargo bench --bench growth`. For PostgreSQL, set `PAUTA_BENCH_DATABASE_URL=postgres://…/db` to
//! an empty database. `-- 10000 100000 1000000` are the numbers of events. Each size has the same
//! number of events per month and of open tasks per member; only the number of older events grows.
//! Each read is measured with one caller and then with 32 simultaneous callers, in this process.
//! The time with 32 callers is divided by 32.

#[path = "support/config.rs"]
mod config;

use std::{
    fmt::Write,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use gateway::Principal;
use pauta::{
    app::{self, App, SystemClock},
    cli::demo::knowledge::DOCUMENTS,
};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use store::events;
use tools::operator::{self, NewAdmin};

const ADMIN: &str = "ana@example.org";
const CREATOR: &str = "bia@example.org";
const MEMBERS: usize = 100;
/// 2026-11-01T00:00:00-03:00 in milliseconds. Closed events have earlier dates; open ones have
/// dates up to 50 days later.
const NOVEMBER: i64 = 1_793_502_000_000;
const DAY: i64 = 86_400_000;
const EVENTS_A_DAY: usize = 40;
/// The number of open events, which have the latest dates. The other events are published.
const OPEN: usize = 2_000;
/// One in this many events has another channel, and one in this many closed events is archived.
const RARE: usize = 500;
/// One in this many events has a variant for another channel. A person posts the variant [`EARLIER`]
/// than the date of the event.
const VARIED: usize = 5;
/// The time between the date of a variant and the later date of its event.
const EARLIER: i64 = 5 * DAY;
const CALLERS: usize = 32;
const ROUNDS: usize = 15;
/// The number of times that each search is measured.
const SEARCHES: usize = 300;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this program without the flag.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let mut sizes: Vec<usize> = arguments
        .iter()
        .filter_map(|one| one.parse().ok())
        .collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000, 1_000_000];
    }
    let mut table: Vec<Vec<String>> = vec![];
    for size in &sizes {
        let directory = tempfile::tempdir()?;
        let config = config::config(directory.path())?;
        let app = open_app(&config).await?;
        let began = Instant::now();
        insert_events(&app, *size).await?;
        let filled = began.elapsed();
        let began = Instant::now();
        index_events(&app).await?;
        println!(
            "{size} events: filled in {filled:.1?}, indexed in {:.1?}",
            began.elapsed()
        );
        for (row, (what, cell)) in measure(&app).await?.into_iter().enumerate() {
            if table.len() <= row {
                table.push(vec![what]);
            }
            table[row].push(cell);
        }
        measure_search(&app, *size).await?;
        delete_events(&app).await?;
    }
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    println!("| read | {} |", sizes.join(" | "));
    println!("|---|{}", "---|".repeat(sizes.len()));
    for row in table {
        println!("| {} |", row.join(" | "));
    }
    println!("p50 of one caller, then of {CALLERS} at once, in milliseconds a read");
    Ok(())
}

async fn open_app(config: &pauta::config::Config) -> Result<App> {
    let db = app::open_database(config).await?;
    app::migrate(&db).await?;
    let clock = Arc::new(SystemClock);
    let app = app::assemble(config, db, "http://127.0.0.1:8080".into(), clock).await?;
    let admin = NewAdmin {
        name: "Ana".into(),
        email: ADMIN.into(),
        financeiro: false,
        password: None,
    };
    // All sizes use the same PostgreSQL database, so the run of the first size has already created
    // the admin.
    if operator::principal_by_email(&app.gateway, ADMIN)
        .await
        .is_err()
    {
        operator::create_admin(&app.gateway, admin).await?;
    }
    Ok(app)
}

async fn execute(app: &App, statements: &str) -> Result<()> {
    let tx = app.gateway.services.db.begin().await?;
    tx.conn().execute_unprepared(statements).await?;
    Ok(tx.commit().await?)
}

/// Deletes the events, because all sizes use the same PostgreSQL database.
async fn delete_events(app: &App) -> Result<()> {
    let tables = [
        "event_variants",
        "event_media",
        "media",
        "event_index",
        "event_texts",
        "event_people",
        "event_assignees",
        "events",
    ];
    for table in tables {
        execute(app, &format!("DELETE FROM {table}")).await?;
    }
    Ok(())
}

async fn index_events(app: &App) -> Result<()> {
    loop {
        let tx = app.gateway.services.db.begin().await?;
        let more = events::index_pending(&tx.conn()).await?;
        tx.commit().await?;
        if !more {
            break;
        }
    }
    let db = &app.gateway.services.db;
    if app.gateway.services.db.reader().get_database_backend() == sea_orm::DbBackend::Postgres {
        db.reader().execute_unprepared("VACUUM ANALYZE").await?;
    }
    Ok(())
}

/// A pseudorandom generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

fn member_id(n: usize) -> String {
    format!("0198c0de-0000-7000-8001-{n:012x}")
}

async fn insert_events(app: &App, size: usize) -> Result<()> {
    let mut members = String::from("INSERT INTO members VALUES ");
    for n in 0..MEMBERS {
        let (id, comma) = (member_id(n), if n == 0 { "" } else { ", " });
        let email = if n == 0 {
            CREATOR.into()
        } else {
            format!("pessoa{n}@example.org")
        };
        write!(
            members,
            "{comma}('{id}', '{id}', 'Pessoa N{n}', '{email}', 'criador', 'criador', FALSE, TRUE, FALSE, 0, 0)"
        )?;
    }
    members.push_str(" ON CONFLICT DO NOTHING");
    execute(app, &members).await?;
    let sentences: Vec<String> = DOCUMENTS
        .iter()
        .flat_map(|(_, text)| text.split(['\n', '.']))
        .map(|sentence| sentence.trim().replace('\'', ""))
        .filter(|sentence| sentence.len() > 30 && sentence.is_ascii())
        .collect();
    let mut dice = Dice(1);
    for first in (0..size).step_by(500) {
        let mut tables = [
            "INSERT INTO events (id, api_revision, title, channel, status, description, due_at,
                agenda_at, created_by, created_at, updated_at) VALUES ",
            "INSERT INTO event_texts (event_id, searched) VALUES ",
            "INSERT INTO event_assignees (event_id, member_id, position) VALUES ",
            "INSERT INTO event_people (event_id, member_id, agenda_at, is_open, is_assigned)
                VALUES ",
            "INSERT INTO media (id, sha256, media_type, bytes, width, height, kind, origin,
                created_by, created_at) VALUES ",
            "INSERT INTO event_media (event_id, media_id, slide_index, kind, media_type) VALUES ",
            "INSERT INTO event_variants (id, event_id, channel, format, content, due_at, publish,
                revision, approved_revision, changed_by, created_at, updated_at) VALUES ",
        ]
        .map(String::from);
        for n in first..size.min(first + 500) {
            let comma = if n == first { "" } else { ", " };
            let id = format!("0198c0de-0000-7000-8000-{n:012x}");
            // The newest events have the same dates for every size.
            let age = size - 1 - n;
            let due_at = NOVEMBER + 50 * DAY - age as i64 * DAY / EVENTS_A_DAY as i64;
            let is_open = age < OPEN;
            let status = match (is_open, n % 4) {
                (true, 0) => "em aprovação",
                (true, 1) => "a fazer",
                (true, 2) => "em progresso",
                (true, _) => "aprovado",
                (false, _) if n % RARE == 0 => "arquivado",
                (false, _) => "publicado",
            };
            let channel = if n % RARE == 1 {
                "pinterest"
            } else {
                "instagram"
            };
            let (creator, assignee) = (member_id(n * 7 % MEMBERS), member_id(n % MEMBERS));
            let title = format!("Quadro {} numero{n}x", dice.roll(300));
            let mut caption = String::new();
            while caption.len() < 350 {
                caption.push_str(&sentences[dice.roll(sentences.len())]);
                caption.push_str(". ");
            }
            if dice.roll(200) == 0 {
                caption.push_str("incomum ");
            }
            if dice.roll(2) == 0 {
                caption.push_str("frequente ");
            }
            if n < size * 13 / 100 {
                caption.push_str("antigamente ");
            }
            let searched = format!("{title}\n{caption}").to_lowercase();
            write!(
                tables[0],
                "{comma}('{id}', 1, '{title}', '{channel}', '{status}', '{caption}', {due_at}, {due_at},
                 '{creator}', 0, 0)"
            )?;
            write!(tables[1], "{comma}('{id}', '{searched}')")?;
            write!(tables[2], "{comma}('{id}', '{assignee}', 0)")?;
            write!(
                tables[3],
                "{comma}('{id}', '{assignee}', {due_at}, {is_open}, TRUE)"
            )?;
            write!(
                tables[4],
                "{comma}('{id}', '{n:064x}', 'image/png', 240000, 1080, 1350, 'art', 'generated',
                 '{creator}', {n})"
            )?;
            write!(tables[5], "{comma}('{id}', '{id}', 0, 'art', 'image/png')")?;
            if n % VARIED == 0 {
                let due_at = due_at - EARLIER;
                write!(
                    tables[6],
                    "{comma}('{id}', '{id}', 'threads', 'post', '{{}}', {due_at}, 'manual', 1, 1,
                     '{creator}', 0, 0)"
                )?;
            }
            if creator != assignee {
                write!(
                    tables[3],
                    ", ('{id}', '{creator}', {due_at}, {is_open}, FALSE)"
                )?;
            }
        }
        execute(app, &tables.join(";\n")).await?;
    }
    Ok(())
}

/// Returns the reads to measure: caller, title, operation and input.
fn reads_to_measure() -> Vec<(&'static str, &'static str, &'static str, Value)> {
    let november = json!({ "de": "2026-11-01", "ate": "2026-11-30", "limit": 200 });
    let mut reads = vec![];
    for who in [ADMIN, CREATOR] {
        let mut list = |what, operation, input| reads.push((who, what, operation, input));
        list("first page of 20", "list_events", json!({ "limit": 20 }));
        list("a month, 200 events", "list_events", november.clone());
        list("my tasks, 20", "list_my_tasks", json!({ "limit": 20 }));
        let waiting = json!({ "status": "em aprovação", "limit": 20 });
        list("one status, 20", "list_events", waiting);
        for (what, filter) in [
            (
                "all published, 20",
                json!({ "status": "publicado", "limit": 20 }),
            ),
            (
                "a rare closed status, 20",
                json!({ "status": "arquivado", "limit": 20 }),
            ),
            (
                "a rare channel, 20",
                json!({ "channel": "pinterest", "limit": 20 }),
            ),
            (
                "a channel of variants, 20",
                json!({ "channel": "threads", "limit": 20 }),
            ),
            ("late, 20", json!({ "atrasados": true, "limit": 20 })),
            (
                "one assignee, 20",
                json!({ "assignee_id": member_id(17), "limit": 20 }),
            ),
            (
                "without a date, 20",
                json!({ "sem_data": true, "limit": 20 }),
            ),
        ] {
            list(what, "list_events", filter);
        }
        list("my day", "get_my_day", json!({}));
        let attachable = json!({ "limit": 20 });
        list(
            "to attach media to, 20",
            "list_attachable_events",
            attachable,
        );
        list("newest media, 20", "list_media", json!({ "limit": 20 }));
        for (what, text) in [
            ("text without a hit", "jabuticabeira"),
            ("text of one event", "numero4711x"),
            ("text of 0.5 %", "incomum"),
            ("text of 0.3 %, in a word", "uadro 17 "),
            ("text of half", "frequente"),
            ("text of the oldest 13 %", "antigamente"),
            ("a name", "essoa n17"),
        ] {
            list(what, "list_events", json!({ "q": text, "limit": 20 }));
        }
        list(
            "text without a hit in my tasks",
            "list_my_tasks",
            json!({ "q": "jabuticabeira" }),
        );
    }
    reads
}

async fn measure(app: &App) -> Result<Vec<(String, String)>> {
    let mut rows = vec![];
    for (who, what, operation, input) in reads_to_measure() {
        let caller = operator::principal_by_email(&app.gateway, who).await?;
        let once = async || -> Result<Duration> {
            let began = Instant::now();
            operator::run_operation(&app.gateway, &caller, operation, input.clone()).await?;
            Ok(began.elapsed())
        };
        once().await?;
        let mut times = vec![];
        for _ in 0..ROUNDS {
            times.push(once().await?);
        }
        times.sort();
        let together = measure_simultaneous(app, &caller, operation, &input).await?;
        let name = who.split('@').next().context("a name")?;
        let role = if name == "ana" { "admin" } else { "criador" };
        let in_ms = |time: Duration| time.as_secs_f64() * 1_000.0;
        let cell = format!("{:.2} · {:.2}", in_ms(times[ROUNDS / 2]), in_ms(together));
        rows.push((format!("{what} ({role})"), cell));
    }
    Ok(rows)
}

/// Measures the search over everything, one caller at a time.
async fn measure_search(app: &App, size: usize) -> Result<()> {
    println!("| search in {size} events | role | p50 ms | p99 ms |\n|---|---|---|---|");
    for who in [ADMIN, CREATOR] {
        let caller = operator::principal_by_email(&app.gateway, who).await?;
        for (what, text) in [
            ("a rare word", "numero4711x"),
            ("a word of 0.5 %", "incomum"),
            ("a word of half", "frequente"),
            ("a word of the oldest 13 %", "antigamente"),
            ("a common and a rare word", "frequente numero4711x"),
            ("two letters", "fr"),
            ("no hit", "jabuticabeira"),
        ] {
            let input = json!({ "q": text });
            let mut times = vec![];
            for _ in 0..SEARCHES {
                let began = Instant::now();
                let call = operator::run_operation(
                    &app.gateway,
                    &caller,
                    "search_everything",
                    input.clone(),
                );
                call.await?;
                times.push(began.elapsed().as_secs_f64() * 1_000.0);
            }
            times.sort_by(f64::total_cmp);
            let at = |share: usize| times[(SEARCHES - 1) * share / 100];
            let role = if who == ADMIN { "admin" } else { "criador" };
            println!("| {what} | {role} | {:.2} | {:.2} |", at(50), at(99));
        }
    }
    Ok(())
}

/// Measures the time per read while [`CALLERS`] reads run simultaneously.
async fn measure_simultaneous(
    app: &App,
    caller: &Principal,
    operation: &str,
    input: &Value,
) -> Result<Duration> {
    let mut times = vec![];
    for _ in 0..3 {
        let began = Instant::now();
        let calls = (0..CALLERS)
            .map(|_| operator::run_operation(&app.gateway, caller, operation, input.clone()));
        futures::future::try_join_all(calls).await?;
        times.push(began.elapsed() / CALLERS as u32);
    }
    times.sort();
    Ok(times[1])
}
