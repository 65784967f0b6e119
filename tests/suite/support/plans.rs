//! Records the SQL queries of the service, and reads their query plans.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::Value;

use super::{Log, TestApp, log_to};

/// Returns the SQL queries that the service sends during the requests, each once.
pub async fn trace_queries(requests: impl Future<Output = ()>) -> BTreeSet<String> {
    trace_each_query(requests).await.into_iter().collect()
}

/// Returns every SQL query that the service sends during the requests.
pub async fn trace_each_query(requests: impl Future<Output = ()>) -> Vec<String> {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter("store::queries=trace")
        .with_writer(log.clone())
        .finish();
    let guard = log_to(subscriber);
    requests.await;
    drop(guard);
    let text = log.captured_text();
    let lines = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line["sql"].as_str().expect("a query").to_owned()
    });
    lines.collect()
}

/// The tables of a query by their aliases.
pub fn tables_by_alias(sql: &str) -> BTreeMap<String, String> {
    let words: Vec<&str> = sql
        .split(|one: char| !one.is_alphanumeric() && one != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let mut named = BTreeMap::new();
    for (at, word) in words.iter().enumerate() {
        if !["FROM", "JOIN"].contains(word) {
            continue;
        }
        let Some(table) = words.get(at + 1) else {
            continue;
        };
        let alias = words.get(at + 2).copied().unwrap_or_default();
        let is_alias = !alias.is_empty() && alias.chars().all(|one| one.is_ascii_lowercase());
        let alias = if is_alias { alias } else { table };
        named.insert(alias.to_owned(), (*table).to_owned());
    }
    named
}

fn count_parameters(sql: &str) -> usize {
    let numbers = sql.split('$').skip(1).filter_map(|rest| {
        let digits = rest.split(|one: char| !one.is_ascii_digit()).next()?;
        digits.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

/// Returns the tables that the query scans completely, and its plan.
pub async fn scanned_tables(
    app: &TestApp,
    sql: &str,
    is_forced: bool,
) -> (BTreeSet<String>, String) {
    let count = count_parameters(sql);
    if app.backend() == DbBackend::Postgres {
        let plan = load_postgres_plan(app, sql, count, is_forced).await;
        let scans = plan
            .lines()
            .filter_map(|line| line.split_once("Seq Scan on "));
        let tables = scans.filter_map(|(_, rest)| rest.split_whitespace().next());
        return (tables.map(str::to_owned).collect(), plan);
    }
    let values = vec![sea_orm::Value::String(None); count];
    let explain = format!("EXPLAIN QUERY PLAN {sql}");
    let statement = Statement::from_sql_and_values(DbBackend::Sqlite, explain, values);
    let db = app.app.gateway.services.db.reader();
    let rows = db.query_all_raw(statement).await.expect("a plan");
    let lines: Vec<String> = rows
        .iter()
        .map(|row| row.try_get("", "detail").expect("text"))
        .collect();
    let named = tables_by_alias(sql);
    // A `SCAN` of a whole index on SQLite also reads all rows, so it counts.
    let scans = lines.iter().filter_map(|line| line.strip_prefix("SCAN "));
    let scans = scans.filter_map(|rest| named.get(rest.split_whitespace().next()?));
    (scans.cloned().collect(), lines.join("\n"))
}

/// PostgreSQL's generic plan of a query. `is_forced` disables sequential scans where an index can
/// be used; otherwise the planner prefers them, because the tables of a test are small.
pub async fn load_postgres_plan(app: &TestApp, sql: &str, count: usize, is_forced: bool) -> String {
    let tx = app.begin().await;
    let db = tx.conn();
    let run = async |sql: &str| db.execute_unprepared(sql).await.expect("runs");
    run("SET LOCAL plan_cache_mode = force_generic_plan").await;
    if is_forced {
        run("SET LOCAL enable_seqscan = off").await;
    }
    run(&format!("PREPARE asked AS {sql}")).await;
    let values = vec!["NULL"; count].join(", ");
    let explain = if count == 0 {
        "EXPLAIN EXECUTE asked".to_owned()
    } else {
        format!("EXPLAIN EXECUTE asked({values})")
    };
    let statement = Statement::from_string(DbBackend::Postgres, explain);
    let rows = db.query_all_raw(statement).await.expect("a plan");
    run("DEALLOCATE asked").await;
    let lines: Vec<String> = rows
        .iter()
        .map(|row| row.try_get("", "QUERY PLAN").expect("text"))
        .collect();
    lines.join("\n")
}
