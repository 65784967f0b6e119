//! Tests the guarantees of the driver for its callers.
//!
//! The tests need a server (`PAUTA_TEST_DATABASE_URL`), and do nothing without one.

use std::time::Duration;

use sea_orm::Value;

use super::{Postgres, availability::CONNECTIONS};
use crate::driver::{driver_error, is_connection_lost, is_unique_violation};

/// A timeout that no test reaches, on any machine.
const FOREVER: Duration = Duration::from_secs(30);

/// A server with a table `notes` in its own schema. [`Base::drop`] drops the schema.
struct Base {
    db: Postgres,
    url: String,
    schema: String,
}

impl Base {
    async fn new(name: &str) -> Option<Self> {
        let server = std::env::var("PAUTA_TEST_DATABASE_URL").ok()?;
        let schema = format!("pauta_store_{}_{name}", std::process::id());
        let sign = if server.contains('?') { '&' } else { '?' };
        let url = format!("{server}{sign}options[search_path]={schema}");
        let db = Postgres::open(&url, None).await.expect("opens");
        let create = format!(
            "CREATE SCHEMA {schema}; CREATE TABLE {schema}.notes (n BIGINT PRIMARY KEY, text TEXT)"
        );
        db.run_script(&create).await.expect("creates");
        Some(Self { db, url, schema })
    }

    async fn drop(self) {
        let drop = format!("DROP SCHEMA {} CASCADE", self.schema);
        self.db.run_script(&drop).await.expect("drops");
        self.db.close().await;
    }

    async fn read_numbers(&self) -> Vec<i64> {
        let rows = self.db.fetch("SELECT n FROM notes ORDER BY n", &[]).await;
        let rows = rows.expect("reads");
        let numbers = rows.iter().map(|row| row.try_get("", "n"));
        numbers.collect::<Result<_, _>>().expect("numbers")
    }

    /// Waits until no session is in use.
    async fn wait_until_unused(&self) {
        let unused = async {
            while self.db.pool_use().in_use > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(FOREVER, unused).await.expect("unused");
    }
}

const INSERT: &str = "INSERT INTO notes (n) VALUES ($1)";

#[tokio::test]
async fn values_of_all_types_pass_in_both_directions() {
    let Some(base) = Base::new("values").await else {
        return;
    };
    let sql = "SELECT $1 AS a, $2 AS b, $3 AS c, $4 AS d, $5 AS e, $6 AS f, 7::int4 AS g,
        'x'::varchar AS h, '{\"i\":1}'::jsonb AS i, NULL::bigint AS j";
    let values = [
        Value::Bool(Some(true)),
        Value::BigInt(Some(-5)),
        Value::String(Some("ação".into())),
        Value::Bytes(Some(vec![0, 1])),
        Value::Double(Some(0.5)),
        Value::BigInt(None),
    ];
    for _ in 0..3 {
        let rows = base.db.fetch(sql, &values).await.expect("reads");
        let expected = [
            values[0].clone(),
            values[1].clone(),
            values[2].clone(),
            values[3].clone(),
            values[4].clone(),
            Value::String(None),
            Value::BigInt(Some(7)),
            "x".into(),
            "{\"i\": 1}".into(),
            Value::String(None),
        ];
        assert_eq!(rows[0].values, expected);
    }
    base.drop().await;
}

#[tokio::test]
async fn more_callers_than_sessions_wait_for_one() {
    let Some(base) = Base::new("callers").await else {
        return;
    };
    let reads: Vec<_> = (0..300)
        .map(|n: i64| {
            let db = base.db.clone();
            tokio::spawn(async move { db.fetch("SELECT $1 + 0 AS n", &[n.into()]).await })
        })
        .collect();
    for (n, read) in (0_i64..).zip(reads) {
        let rows = read.await.expect("no panic").expect("reads");
        assert_eq!(rows[0].values, [Value::from(n)]);
    }
    assert!(base.db.pool_use().open <= CONNECTIONS);
    assert_eq!(base.db.pool_use().in_use, 0);
    base.drop().await;
}

#[tokio::test]
async fn large_values_pass_in_both_directions_at_once() {
    let Some(base) = Base::new("large").await else {
        return;
    };
    let text = "é".repeat(8 << 20);
    let echo = "SELECT $1 AS text, $2 AS other";
    let values = [text.as_str().into(), text.as_str().into()];
    let passed = base.db.fetch(echo, &values);
    let passed = tokio::time::timeout(FOREVER, passed)
        .await
        .expect("in time");
    assert_eq!(passed.expect("reads")[0].values, values);
    let tx = base.db.begin();
    tx.execute(INSERT, &[0_i64.into()]).await.expect("writes");
    for n in 1..40_i64 {
        let insert = "INSERT INTO notes (n, text) VALUES ($1, $2)";
        let text = "x".repeat(100_000);
        tx.queue(insert, &[n.into(), text.into()])
            .await
            .expect("queues");
    }
    tx.commit().await.expect("commits");
    assert_eq!(base.read_numbers().await.len(), 40);
    base.drop().await;
}

#[tokio::test]
async fn a_transaction_is_stored_by_its_commit_only() {
    let Some(base) = Base::new("commit").await else {
        return;
    };
    let tx = base.db.begin();
    tx.execute(INSERT, &[1_i64.into()]).await.expect("writes");
    tx.queue(INSERT, &[2_i64.into()]).await.expect("queues");
    assert!(base.read_numbers().await.is_empty());
    let rows = tx.fetch("SELECT n FROM notes", &[]).await.expect("reads");
    assert_eq!(rows.len(), 2, "a queued statement runs before the next one");
    tx.queue(INSERT, &[3_i64.into()]).await.expect("queues");
    tx.commit().await.expect("commits");
    assert_eq!(base.read_numbers().await, [1, 2, 3]);
    let dropped = base.db.begin();
    dropped
        .execute(INSERT, &[4_i64.into()])
        .await
        .expect("writes");
    dropped
        .queue(INSERT, &[5_i64.into()])
        .await
        .expect("queues");
    drop(dropped);
    base.wait_until_unused().await;
    assert_eq!(base.read_numbers().await, [1, 2, 3]);
    base.db
        .begin()
        .commit()
        .await
        .expect("an empty transaction commits");
    base.drop().await;
}

#[tokio::test]
async fn the_error_of_a_queued_statement_fails_the_commit() {
    let Some(base) = Base::new("queued").await else {
        return;
    };
    base.db
        .execute(INSERT, &[1_i64.into()])
        .await
        .expect("writes");
    let tx = base.db.begin();
    tx.execute(INSERT, &[2_i64.into()]).await.expect("writes");
    tx.queue(INSERT, &[1_i64.into()]).await.expect("queues");
    tx.queue(INSERT, &[3_i64.into()]).await.expect("queues");
    let refused = tx.commit().await.expect_err("a duplicate");
    assert!(is_unique_violation(&refused), "{refused}");
    base.wait_until_unused().await;
    assert_eq!(base.read_numbers().await, [1]);
    // The first statement begins the transaction, and fails with it.
    let tx = base.db.begin();
    let refused = tx.execute(INSERT, &[1_i64.into()]).await;
    assert!(is_unique_violation(&refused.expect_err("a duplicate")));
    drop(tx);
    base.wait_until_unused().await;
    assert_eq!(base.read_numbers().await, [1]);
    base.drop().await;
}

#[tokio::test]
async fn a_session_is_used_again_after_errors_and_cancelled_statements() {
    let Some(base) = Base::new("errors").await else {
        return;
    };
    for sql in ["SELEC 1", "SELECT missing FROM notes", "SELECT 1 / $1"] {
        let values: &[Value] = if sql.contains('$') {
            &[0_i64.into()]
        } else {
            &[]
        };
        for _ in 0..3 {
            base.db.fetch(sql, values).await.expect_err(sql);
        }
    }
    base.db.fetch("SELECT 1\0", &[]).await.expect_err("a NUL");
    let slow = base
        .db
        .fetch("SELECT pg_sleep(0.3)::text, repeat('x', 100000)", &[]);
    tokio::time::timeout(Duration::from_millis(50), slow)
        .await
        .expect_err("is cancelled");
    assert_eq!(
        base.db.pool_use().in_use,
        1,
        "until the server has answered"
    );
    base.wait_until_unused().await;
    assert_eq!(base.db.pool_use().open, 1);
    let tx = base.db.begin();
    let slow = tx.fetch("SELECT pg_sleep(0.3)::text", &[]);
    tokio::time::timeout(Duration::from_millis(50), slow)
        .await
        .expect_err("is cancelled");
    drop(tx);
    base.wait_until_unused().await;
    assert!(base.read_numbers().await.is_empty());
    assert_eq!(base.db.pool_use().open, 1);
    base.drop().await;
}

#[tokio::test]
async fn a_statement_is_prepared_for_the_types_of_its_values() {
    let Some(base) = Base::new("prepared").await else {
        return;
    };
    for n in 0..400 {
        let sql = format!("SELECT $1 AS v, {} AS n", n % 150);
        let value: Value = if n % 2 == 0 {
            7_i64.into()
        } else {
            "sete".into()
        };
        let rows = base
            .db
            .fetch(&sql, std::slice::from_ref(&value))
            .await
            .expect("reads");
        assert_eq!(rows[0].values, [value, Value::BigInt(Some(n % 150))]);
    }
    let sql = "SELECT count(*) AS n FROM pg_prepared_statements";
    let rows = base.db.fetch(sql, &[]).await.expect("reads");
    let count: i64 = rows[0].try_get("", "n").expect("a number");
    assert!((2..=128).contains(&count), "{count}");
    base.drop().await;
}

#[tokio::test]
async fn sessions_that_the_server_closed_are_replaced() {
    let Some(base) = Base::new("closed").await else {
        return;
    };
    let other = Postgres::open(&base.url, None).await.expect("opens");
    let pid = "SELECT pg_backend_pid()::text AS pid";
    let terminate = "SELECT pg_terminate_backend($1::text::int)";
    for _ in 0..5 {
        let rows = base.db.fetch(pid, &[]).await.expect("reads");
        let idle = rows[0].values[0].clone();
        other.fetch(terminate, &[idle]).await.expect("terminates");
        base.db
            .fetch(pid, &[])
            .await
            .expect("reads in another session");
    }
    let tx = base.db.begin();
    let rows = tx.fetch(pid, &[]).await.expect("reads");
    let open = rows[0].values[0].clone();
    other.fetch(terminate, &[open]).await.expect("terminates");
    let lost = tx.execute(INSERT, &[1_i64.into()]).await;
    let lost = lost.expect_err("the transaction is lost");
    assert!(is_connection_lost(&lost), "{lost}");
    drop(tx);
    assert!(base.read_numbers().await.is_empty());
    other.close().await;
    base.drop().await;
}

#[tokio::test]
async fn a_listener_subscribes_again_after_its_session_was_lost() {
    let Some(base) = Base::new("listener").await else {
        return;
    };
    let mut listener = base.db.listen("a \"channel\"").await.expect("listens");
    let notify = "SELECT pg_notify('a \"channel\"', $1)";
    let heard = async |listener: &mut super::Listener| {
        let next = tokio::time::timeout(FOREVER, listener.next()).await;
        next.expect("in time").expect("hears")
    };
    let tx = base.db.begin();
    tx.execute(notify, &["um".into()]).await.expect("notifies");
    tx.queue(notify, &["dois".into()]).await.expect("queues");
    tx.commit().await.expect("commits");
    assert_eq!(heard(&mut listener).await.as_deref(), Some("um"));
    assert_eq!(heard(&mut listener).await.as_deref(), Some("dois"));
    let terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE query LIKE 'LISTEN%channel%' AND pid <> pg_backend_pid()";
    base.db.fetch(terminate, &[]).await.expect("terminates");
    assert_eq!(
        heard(&mut listener).await,
        None,
        "texts may have been missed"
    );
    base.db
        .fetch(notify, &["tres".into()])
        .await
        .expect("notifies");
    assert_eq!(heard(&mut listener).await.as_deref(), Some("tres"));
    drop(listener);
    base.drop().await;
}

#[tokio::test]
async fn a_refused_login_names_its_cause() {
    let Some(base) = Base::new("login").await else {
        return;
    };
    let (scheme, rest) = base.url.split_once("://").expect("a URL");
    let (credentials, rest) = rest.split_once('@').expect("credentials");
    let user = credentials.split(':').next().unwrap_or_default();
    for (url, code) in [
        (format!("{scheme}://{user}:errada@{rest}"), "28P01"),
        (base.url.replace("/pauta", "/outra"), "3D000"),
    ] {
        let error = Postgres::open(&url, None).await.expect_err("is refused");
        let text = driver_error(&error).map_or_else(String::new, ToString::to_string);
        assert!(text.contains(code), "{text}");
    }
    base.drop().await;
}
