//! Measures every dashboard over many purchases and timeline events, and the time it takes to
//! aggregate them.
//!
//! `cargo bench --bench figures -- --purchases 1000000 --events 10000000`. For PostgreSQL, set
//! `PAUTA_BENCH_DATABASE_URL=postgres://…/db` to a database that may be filled. SQL statements
//! generate the rows and mark them as not aggregated, like writes of the service. Then the code of
//! the service's job aggregates them. `--folder PATH` keeps the SQLite database in that folder. A
//! database that already has rows is measured without filling.

#[path = "support/config.rs"]
mod config;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use domain::time::{DAY, LocalDay, Millis};
use pauta::app::{self, App, SystemClock};
use ports::Clock;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::json;
use tools::operator::{self, NewAdmin};

const EMAIL: &str = "ana@example.org";
/// The maximum 99th percentile.
const TARGET: Duration = Duration::from_millis(50);
/// The number of links in the origins of purchases. Each belongs to a campaign and a dispatch.
const LINKS: i64 = 200;
/// The number of campaigns.
const CAMPAIGNS: i64 = 50;
/// The age of the first row, in days.
const REACH: i64 = 730;
/// Events per session.
const OF_SESSION: i64 = 10;
/// Rows that one statement inserts.
const AT_ONCE: i64 = 200_000;

#[tokio::main]
async fn main() -> Result<()> {
    // `cargo test --benches` runs this program without the flag.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let purchases = parse_argument("--purchases")?.unwrap_or(100_000);
    let events = parse_argument("--events")?.unwrap_or(purchases * 10);
    let rounds = parse_argument("--rounds")?.unwrap_or(200);
    let directory = tempfile::tempdir()?;
    let folder = argument_text("--folder").map_or_else(|| directory.path().into(), PathBuf::from);
    let config = config::config(&folder)?;
    let db = app::open_database(&config).await?;
    app::migrate(&db).await?;
    let clock = Arc::new(SystemClock);
    let app = app::assemble(&config, db, "http://127.0.0.1:8080".into(), clock).await?;
    let now = SystemClock.now();
    if !has_purchases(&app).await? {
        let admin = NewAdmin {
            name: "Ana".into(),
            email: EMAIL.into(),
            financeiro: true,
            password: None,
        };
        operator::create_admin(&app.gateway, admin).await?;
        make_launch(&app, now).await?;
        let began = Instant::now();
        insert_rows(&app, purchases, events, now).await?;
        analyze(&app).await?;
        println!(
            "{purchases} purchases and {events} events made in {:.1?}",
            began.elapsed()
        );
    }
    let began = Instant::now();
    tools::figures::count_marked_rows(&app.gateway.services.db, now).await?;
    println!("counted in {:.1?}", began.elapsed());
    analyze(&app).await?;
    measure_dashboards(&app, rounds, now).await
}

/// Updates the planner's statistics. PostgreSQL itself updates them only some time after a write.
async fn analyze(app: &App) -> Result<()> {
    if app.gateway.services.db.reader().get_database_backend() == DbBackend::Postgres {
        execute(app, "ANALYZE").await?;
    }
    Ok(())
}

fn parse_argument(name: &str) -> Result<Option<i64>> {
    let value = argument_text(name).map(|value| value.parse());
    value
        .transpose()
        .with_context(|| format!("{name} takes a number"))
}

fn argument_text(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}

async fn has_purchases(app: &App) -> Result<bool> {
    let db = app.gateway.services.db.reader();
    let sql = "SELECT 1 AS found FROM purchases LIMIT 1";
    let found = Statement::from_string(db.get_database_backend(), sql);
    Ok(db.query_one_raw(found).await?.is_some())
}

/// Runs a statement in its own transaction.
async fn execute(app: &App, sql: &str) -> Result<()> {
    let tx = app.gateway.services.db.begin().await?;
    tx.conn().execute_unprepared(sql).await?;
    Ok(tx.commit().await?)
}

/// Inserts rows numbered from 0; `select` refers to the number as `n`.
async fn insert_numbered_rows(app: &App, rows: i64, insert: &str, select: &str) -> Result<()> {
    for first in (0..rows).step_by(usize::try_from(AT_ONCE)?) {
        let last = rows.min(first + AT_ONCE) - 1;
        let sql = format!(
            "INSERT INTO {insert}
             WITH RECURSIVE numbers (n) AS (
                SELECT CAST({first} AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})
             SELECT {select} FROM numbers"
        );
        execute(app, &sql).await?;
    }
    Ok(())
}

async fn insert_rows(app: &App, purchases: i64, events: i64, now: Millis) -> Result<()> {
    let (start, sessions) = (now - REACH * DAY, (events / OF_SESSION).max(1));
    let tx = app.gateway.services.db.begin().await?;
    let months = (0..=REACH / 20).map(|step| start + step * 20 * DAY);
    store::timeline::prepare_partitions(&tx.conn(), months.chain([now])).await?;
    tx.commit().await?;
    // The sessions are distributed evenly over the whole period.
    let every = REACH * DAY / sessions;
    let begun = format!("{start} + n * {every}");
    // Every second session belongs to a person. Each person has about three sessions.
    let people = (sessions / 6).max(1);
    insert_numbered_rows(
        app,
        sessions,
        "timeline_sessions (id, session, person, identified_at, first_at, last_at, stale)",
        &format!(
            "'s' || n, 'browser' || n, CASE WHEN n % 2 = 0 THEN 'p' || (n * 7 % {people}) END,
             CASE WHEN n % 2 = 0 THEN {begun} END, {begun}, {begun} + 540000, 1"
        ),
    )
    .await?;
    let at = format!("{start} + (n / {OF_SESSION}) * {every} + (n % {OF_SESSION}) * 60000");
    insert_numbered_rows(
        app,
        events,
        "timeline_events (session_id, id, occurred_at, received_at, kind, product, launch, channel,
            detail)",
        &format!(
            "'s' || (n / {OF_SESSION}), 'e' || n, {at}, {at},
             CASE n % {OF_SESSION} WHEN 7 THEN 'abriu_checkout' WHEN 8 THEN 'etapa_checkout'
                WHEN 6 THEN 'respondeu_enquete' WHEN 5 THEN 'identificou'
                ELSE 'visitou_pagina' END,
             CASE WHEN n / {OF_SESSION} % 3 = 1 THEN 'p' || (n / {OF_SESSION} % 20) END,
             CASE WHEN n / {OF_SESSION} % 3 = 0 THEN 'L' END,
             CASE WHEN n % {OF_SESSION} = 0 THEN 'pago' END,
             CASE n % {OF_SESSION}
                WHEN 0 THEN '{{\"utm_medium\":\"cpc\",\"utm_campaign\":\"c' ||
                    (n / {OF_SESSION} % {CAMPAIGNS}) || '\",\"utm_content\":\"d' ||
                    (n / {OF_SESSION} % {LINKS}) || '\"}}'
                WHEN 6 THEN '{{\"votacao\":\"v\",\"opcao\":\"o' || (n / {OF_SESSION} % 9) || '\"}}'
                END"
        ),
    )
    .await?;
    let every = REACH * DAY / purchases;
    insert_numbered_rows(
        app,
        purchases,
        "purchases (store, transaction_id, occurred_at, status, person, severed, product_id,
            product, amount_cents, refunded_cents, currency, seller, launch, utm_source,
            utm_campaign, utm_content, updated_at, stale)",
        &format!(
            "CASE n % 4 WHEN 0 THEN 'guru' ELSE 'hotmart' END, 't' || n, {start} + n * {every},
             CASE n % 25 WHEN 0 THEN 'reembolsada' WHEN 1 THEN 'parcial' WHEN 2 THEN 'pendente'
                ELSE 'aprovada' END,
             'p' || (n * 13 % {people}), 0, 'p' || (n * 31 % 20), 'Produto ' || (n * 31 % 20),
             4900 + n * 17 % 90000, CASE n % 25 WHEN 0 THEN 4900 WHEN 1 THEN 1000 ELSE 0 END,
             CASE n % 50 WHEN 3 THEN 'USD' ELSE 'BRL' END,
             CASE n % 3 WHEN 0 THEN 'v' || (n % 12) END,
             CASE n % 3 WHEN 0 THEN 'L' WHEN 1 THEN 'M' END, CASE WHEN n % 7 > 0 THEN 'meta' END,
             CASE WHEN n % 7 > 0 THEN 'c' || (n % {CAMPAIGNS}) END,
             CASE WHEN n % 7 > 0 THEN 'd' || (n % {LINKS}) END, {now}, 1"
        ),
    )
    .await?;
    insert_numbered_rows(
        app,
        purchases / 10,
        "subscriptions (store, subscription_id, plan, status, started_at, ended_at, amount_cents,
            currency, severed, updated_at, stale)",
        &format!(
            "'hotmart', 'a' || n, 'Plano ' || (n % 5), CASE n % 4 WHEN 0 THEN 'cancelada'
                WHEN 1 THEN 'em_atraso' ELSE 'ativa' END, {start} + n * {every} * 9,
             CASE n % 4 WHEN 0 THEN {start} + n * {every} * 9 + 2592000000 END, 3990, 'BRL', 0,
             {now}, 1"
        ),
    )
    .await?;
    insert_numbered_rows(
        app,
        purchases / 10,
        "crm_stages (id, person, stage, occurred_at, launch, updated_at, stale)",
        &format!(
            "'c' || n, 'p' || (n % {people}), CASE n % 3 WHEN 0 THEN 'lead' WHEN 1 THEN 'proposta'
                ELSE 'cliente' END, {start} + n * {every} * 10, 'L', {now}, 1"
        ),
    )
    .await?;
    insert_numbered_rows(
        app,
        LINKS,
        "dispatches (id, name, channel, sent_at, sent, launch, updated_at)",
        &format!("'d' || n, 'Disparo ' || n, 'email', {now} - n * 86400000, 1000, 'L', {now}"),
    )
    .await?;
    insert_numbered_rows(
        app,
        purchases / 5,
        "email_deliveries (message_id, position, kind, occurred_at, mail_id, dispatch_id, launch,
            received_at, stale)",
        &format!(
            "'m' || n, 0, CASE n % 4 WHEN 0 THEN 'entrega' WHEN 1 THEN 'abertura' WHEN 2 THEN
                'clique' ELSE 'devolucao' END, {now}, 'm' || (n / 4), 'd' || (n / 4 % {LINKS}), 'L',
             {now}, 1"
        ),
    )
    .await?;
    let reports: Vec<_> = (0..REACH)
        .flat_map(|back| (0..CAMPAIGNS).map(move |campaign| (back, campaign)))
        .map(|(back, campaign)| domain::sales::AdSpend {
            platform: "meta".into(),
            campaign_id: format!("{campaign}"),
            day: LocalDay::from_instant(now - back * DAY).0,
            campaign: format!("c{campaign}"),
            spend_cents: 12_345,
            impressions: 10_000,
            clicks: 120,
            currency: "BRL".into(),
        })
        .collect();
    let tx = app.gateway.services.db.begin().await?;
    store::sales::save_ad_spend(&tx.conn(), reports, now).await?;
    Ok(tx.commit().await?)
}

/// Creates a launch that began a year ago. Purchases belong to it by launch code (a third of them)
/// or by product.
async fn make_launch(app: &App, now: Millis) -> Result<()> {
    let caller = operator::principal_by_email(&app.gateway, EMAIL).await?;
    let input = json!({ "name": "Lançamento" });
    let project = operator::run_operation(&app.gateway, &caller, "create_project", input).await?;
    let id = project["project"]["id"].clone();
    let input = json!({
        "projetoId": id, "nome": "Lançamento", "inicio": LocalDay::from_instant(now - 365 * DAY),
        "fim": LocalDay::from_instant(now + DAY), "meta_centavos": 1_000_000_000,
        "produtos": ["p1", "p2", "p3"], "campanhas": ["c*"], "lancamento": "L",
    });
    operator::run_operation(&app.gateway, &caller, "put_launch_dashboard", input).await?;
    Ok(())
}

async fn measure_dashboards(app: &App, rounds: i64, now: Millis) -> Result<()> {
    let caller = operator::principal_by_email(&app.gateway, EMAIL).await?;
    let launches =
        operator::run_operation(&app.gateway, &caller, "list_launches", json!({})).await?;
    let of_launch = json!({ "projetoId": launches["lancamentos"][0]["projeto_id"] });
    let years = json!({
        "inicio": LocalDay::from_instant(now - REACH * DAY), "fim": LocalDay::from_instant(now),
    });
    let dashboards = [
        ("list_launches", json!({})),
        ("get_launch_summary", of_launch.clone()),
        ("get_launch_decision_panel", of_launch.clone()),
        ("get_launch_crm_funnel", of_launch.clone()),
        ("get_launch_timeline_funnel", of_launch.clone()),
        ("get_launch_paid_media", of_launch.clone()),
        ("get_launch_sales_origin", of_launch.clone()),
        ("list_launch_dispatches", of_launch.clone()),
        ("list_launch_buyers", of_launch.clone()),
        ("get_launch_profiles", of_launch.clone()),
        ("get_launch_health", of_launch),
        ("get_sales_summary", json!({})),
        ("get_sales_summary", years.clone()),
        ("get_commercial_team_sales", years.clone()),
        ("get_subscription_summary", years.clone()),
        ("list_leaving_subscribers", years),
    ];
    for (name, input) in dashboards {
        let mut times = vec![];
        for round in 0..=rounds {
            let began = Instant::now();
            operator::run_operation(&app.gateway, &caller, name, input.clone()).await?;
            // The first round only warms the caches.
            if round > 0 {
                times.push(began.elapsed());
            }
        }
        times.sort();
        let at = |percent: usize| times[(times.len() - 1) * percent / 100];
        let (p50, p99) = (at(50), at(99));
        let judged = if p99 <= TARGET { "" } else { "  MISSED" };
        println!("{name:<28} p50 {p50:>8.1?}  p99 {p99:>8.1?}{judged}");
    }
    Ok(())
}
