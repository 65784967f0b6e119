//! Tests the guarantees of the driver for its callers.

use std::{sync::Arc, time::Duration};

use rusqlite::Connection;
use sea_orm::ConnectionTrait;
use tokio::time::Instant;

use crate::{Db, Tx, sqlite::Cell};

/// A timeout that no test reaches, on any machine.
const FOREVER: Duration = Duration::from_secs(30);

struct Base {
    db: Db,
    folder: std::path::PathBuf,
}

impl Drop for Base {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Base {
    async fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("pauta-store-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let url = format!("sqlite://{}/a%20b.db", folder.display());
        let db = Db::open(&url).await.expect("opens");
        let tx = db.begin().await.expect("begins");
        let table = "CREATE TABLE notes (n INTEGER PRIMARY KEY, is_true BOOLEAN)";
        tx.conn().execute_unprepared(table).await.expect("runs");
        tx.commit().await.expect("commits");
        Self { db, folder }
    }

    /// Opens a connection that acts like another process.
    fn open_other(&self) -> Connection {
        let other = Connection::open(self.folder.join("a b.db")).expect("opens");
        other.busy_timeout(Duration::ZERO).expect("is set");
        other
    }

    /// Returns the committed rows.
    fn committed_rows(&self) -> Vec<i64> {
        self.query_numbers("SELECT n FROM notes ORDER BY n")
    }

    fn query_numbers(&self, sql: &str) -> Vec<i64> {
        let other = self.open_other();
        let mut query = other.prepare(sql).expect("SQL");
        let rows = query.query_map([], |row| row.get(0)).expect("runs");
        rows.map(|n| n.expect("a number")).collect()
    }
}

#[test]
fn sqlite_is_compiled_with_the_settings_of_the_workspace() {
    let db = Connection::open_in_memory().expect("opens");
    let mut options = db.prepare("PRAGMA compile_options").expect("SQL");
    let options = options.query_map([], |row| row.get(0)).expect("runs");
    let options: Vec<String> = options.map(|one| one.expect("text")).collect();
    for set in ["DEFAULT_MEMSTATUS=0", "STMTJRNL_SPILL=131071"] {
        let is_there = options.iter().any(|one| one == set);
        assert!(is_there, "{set}, of .cargo/config.toml: {options:?}");
    }
    for unset in ["ENABLE_MEMORY_MANAGEMENT", "ENABLE_API_ARMOR"] {
        assert!(!options.iter().any(|one| one == unset), "{unset}");
    }
}

async fn insert_note(tx: &Tx, n: i64) -> crate::Result<()> {
    let sql = "INSERT INTO notes (n, is_true) VALUES ($1, TRUE)";
    tx.conn().run(sql, [n.into()]).await?;
    Ok(())
}

/// Begins a transaction that holds the writer.
async fn begin_writing(db: &Db) -> Tx {
    let tx = db.begin().await.expect("begins");
    let changed = tx.conn().run("DELETE FROM notes WHERE n < 0", []).await;
    changed.expect("runs");
    tx
}

/// Returns a transaction that has written `n`, and the task of a caller that waits for the writer
/// and will join it.
async fn begin_with_waiting(db: &Db, n: i64) -> (Tx, tokio::task::JoinHandle<Tx>) {
    let first = db.begin().await.expect("begins");
    insert_note(&first, n).await.expect("inserts");
    let queued = db.clone();
    let next = tokio::spawn(async move { begin_writing(&queued).await });
    // The first poll puts the caller into the queue.
    tokio::task::yield_now().await;
    (first, next)
}

#[tokio::test]
async fn a_commit_returns_only_after_the_disk_sync() {
    let base = Base::new("answered").await;
    let (first, next) = begin_with_waiting(&base.db, 1).await;
    let first = tokio::spawn(first.commit());
    let second = next.await.expect("begins");
    tokio::task::yield_now().await;
    assert!(
        !first.is_finished(),
        "the commit returned before the disk sync"
    );
    assert!(base.committed_rows().is_empty());
    insert_note(&second, 2).await.expect("inserts");
    second.commit().await.expect("commits");
    assert_eq!(base.committed_rows(), [1, 2]);
    first.await.expect("no panic").expect("committed");
}

#[tokio::test]
async fn a_transaction_without_a_statement_does_not_hold_the_writer() {
    let base = Base::new("late").await;
    let first = base.db.begin().await.expect("begins");
    let second = base.db.begin().await.expect("begins");
    insert_note(&second, 2).await.expect("inserts");
    second.commit().await.expect("commits");
    insert_note(&first, 1).await.expect("inserts");
    let third = base.db.begin().await.expect("begins");
    third.commit().await.expect("nothing to commit");
    first.commit().await.expect("commits");
    assert_eq!(base.committed_rows(), [1, 2]);
}

#[tokio::test]
async fn a_transaction_reports_how_long_it_has_blocked_others() {
    let base = Base::new("waits").await;
    let alone = begin_writing(&base.db).await;
    assert_eq!(alone.time_blocking_others(), None);
    alone.commit().await.expect("commits");
    let (first, next) = begin_with_waiting(&base.db, 1).await;
    assert!(first.time_blocking_others().is_some());
    // The first transaction is committed together with the next one.
    let first = tokio::spawn(first.commit());
    let next = next.await.expect("begins");
    assert_eq!(next.time_blocking_others(), None);
    let late = base.db.begin().await.expect("begins");
    assert_eq!(
        late.time_blocking_others(),
        None,
        "the transaction has not begun to write"
    );
    next.commit().await.expect("commits");
    first.await.expect("no panic").expect("committed");
}

#[tokio::test]
async fn a_rolled_back_transaction_leaves_the_rest_of_its_group_intact() {
    let base = Base::new("harmless").await;
    let (first, next) = begin_with_waiting(&base.db, 1).await;
    let first = tokio::spawn(first.commit());
    let second = next.await.expect("begins");
    insert_note(&second, 2).await.expect("inserts");
    insert_note(&second, 1).await.expect_err("the row exists");
    insert_note(&second, 3)
        .await
        .expect("the transaction continues");
    // The second transaction is dropped without a commit. No caller waits, so the first one is
    // committed.
    drop(second);
    first.await.expect("no panic").expect("committed");
    assert_eq!(base.committed_rows(), [1]);
}

#[tokio::test]
async fn rows_inserted_before_a_constraint_violation_are_rolled_back() {
    let base = Base::new("rows").await;
    let (first, next) = begin_with_waiting(&base.db, 1).await;
    let first = tokio::spawn(first.commit());
    let second = next.await.expect("begins");
    let rows = [2, 3, 1, 4].map(|n: i64| [Cell::from(n)]);
    let inserted = second.conn().insert(("INTO notes (n)", ""), &rows).await;
    inserted.expect_err("row 1 exists");
    insert_note(&second, 5).await.expect_err("it is broken");
    second.commit().await.expect_err("it is broken");
    first.await.expect("no panic").expect("committed");
    assert_eq!(base.committed_rows(), [1]);
}

#[tokio::test]
async fn a_large_transaction_rolls_back_without_its_group() {
    /// Writes 4 MB, more than SQLite keeps in memory for a rollback.
    const FILL: &str = "WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers
            WHERE n < 1000)
        INSERT INTO notes (n, is_true) SELECT n, zeroblob(4000) FROM numbers";
    let base = Base::new("pages").await;
    let tx = base.db.begin().await.expect("begins");
    tx.conn().run(FILL, []).await.expect("fills");
    tx.commit().await.expect("commits");
    let others: Vec<i64> = (2..=1_000).collect();
    let (first, next) = begin_with_waiting(&base.db, 1).await;
    let first = tokio::spawn(first.commit());
    let second = next.await.expect("begins");
    let smaller = "UPDATE notes SET is_true = zeroblob(3000) WHERE n > 1";
    second.conn().run(smaller, []).await.expect("updates");
    let moved = "UPDATE notes SET n = n + 5000 WHERE n > 1";
    second.conn().run(moved, []).await.expect("updates");
    drop(second);
    first.await.expect("no panic").expect("committed");
    assert_eq!(base.committed_rows(), [vec![1], others].concat());
    let sizes = "SELECT n FROM notes WHERE n > 1 AND length(is_true) <> 4000";
    assert!(base.query_numbers(sizes).is_empty());
}

#[tokio::test]
async fn a_group_commit_survives_the_cancellation_of_its_caller() {
    let base = Base::new("cancelled").await;
    let (first, next) = begin_with_waiting(&base.db, 1).await;
    let first = tokio::spawn(first.commit());
    // The first transaction leaves its commit to a caller that is then cancelled.
    next.abort();
    let answer = tokio::time::timeout(FOREVER, first).await;
    answer
        .expect("in time")
        .expect("no panic")
        .expect("committed");
    assert_eq!(base.committed_rows(), [1]);
    let (first, next) = begin_with_waiting(&base.db, 2).await;
    let committing = tokio::spawn(first.commit());
    let second = next.await.expect("begins");
    // The transaction of a disconnected caller is committed too.
    committing.abort();
    insert_note(&second, 3).await.expect("inserts");
    second.commit().await.expect("commits");
    assert_eq!(base.committed_rows(), [1, 2, 3]);
}

#[tokio::test]
async fn an_uncertain_connection_fails_its_group_and_is_replaced() {
    let base = Base::new("doubt").await;
    let (first, next) = begin_with_waiting(&base.db, 1).await;
    let first = tokio::spawn(first.commit());
    let second = next.await.expect("begins");
    insert_note(&second, 2).await.expect("inserts");
    // A full disk has the same effect in the middle of a transaction.
    second
        .conn()
        .execute_unprepared("ROLLBACK; SELECT broken")
        .await
        .expect_err("fails");
    insert_note(&second, 3).await.expect_err("it has ended");
    second.commit().await.expect_err("it has ended");
    first
        .await
        .expect("no panic")
        .expect_err("it was rolled back");
    assert!(base.committed_rows().is_empty());
    let tx = base.db.begin().await.expect("begins");
    insert_note(&tx, 4).await.expect("inserts");
    tx.commit().await.expect("commits");
    assert_eq!(base.committed_rows(), [4]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_concurrent_writers_get_their_result() {
    const WRITERS: i64 = 200;
    let base = Base::new("many").await;
    let writers = (0..WRITERS).map(|n| {
        let db = base.db.clone();
        let write = async move {
            let tx = db.begin().await?;
            insert_note(&tx, n).await?;
            if n % 5 == 0 {
                drop(tx);
                return Ok(None);
            }
            tx.commit().await.map(|()| Some(n))
        };
        let writing = tokio::spawn(write);
        if n % 7 == 3 {
            writing.abort();
        }
        writing
    });
    let writers: Vec<_> = writers.collect();
    let mut acknowledged = vec![];
    for writer in writers {
        let answer = tokio::time::timeout(FOREVER, writer)
            .await
            .expect("in time");
        if let Ok(answer) = answer {
            acknowledged.extend(answer.expect("no fault"));
        }
    }
    let kept = base.committed_rows();
    assert!(acknowledged.len() > 100);
    assert!(acknowledged.iter().all(|n| kept.contains(n)));
    // No transaction is left open.
    base.open_other()
        .execute_batch("BEGIN IMMEDIATE")
        .expect("begins");
}

/// A query that runs for many seconds.
const LONG: &str = "
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 200000000)
SELECT count(*) AS n FROM c";

#[tokio::test]
async fn a_long_read_blocks_no_task_and_stops_with_its_caller() {
    let base = Base::new("long").await;
    let db = Arc::new(base.db.clone());
    let reading = db.clone();
    let long = tokio::spawn(async move { reading.reader().fetch_one(LONG, []).await.map(drop) });
    let begun = Instant::now();
    // This runtime has only one thread.
    for _ in 0..100 {
        let sql = "SELECT count(*) AS n FROM notes";
        let row = db
            .reader()
            .fetch_one(sql, [])
            .await
            .expect("reads")
            .expect("a row");
        assert_eq!(row.try_get::<i64>("", "n").expect("a number"), 0);
        tokio::task::yield_now().await;
    }
    assert!(!long.is_finished(), "after {:?}", begun.elapsed());
    long.abort();
    assert!(long.await.expect_err("cancelled").is_cancelled());
}

#[tokio::test]
async fn readers_cannot_write_and_parameters_bind_by_number() {
    let base = Base::new("reader").await;
    let tx = base.db.begin().await.expect("begins");
    insert_note(&tx, 7).await.expect("inserts");
    tx.commit().await.expect("commits");
    let reader = base.db.reader();
    for sql in ["DELETE FROM notes", "DELETE FROM notes RETURNING n"] {
        reader.run(sql, []).await.expect_err("cannot write");
        reader.fetch_all(sql, []).await.expect_err("cannot write");
    }
    let sql = "SELECT $2 AS second, $1 AS first, is_true, NULL AS absent FROM notes";
    let row = reader.fetch_one(sql, [1.into(), "dois".into()]).await;
    let row = row.expect("reads").expect("a row");
    assert_eq!(row.try_get::<i64>("", "first").expect("a number"), 1);
    assert_eq!(row.try_get::<String>("sec", "ond").expect("text"), "dois");
    assert!(row.try_get::<bool>("", "is_true").expect("a truth"));
    assert_eq!(
        row.try_get::<Option<i64>>("", "absent").expect("nothing"),
        None
    );
    row.try_get::<i64>("", "absent").expect_err("no number");
    row.try_get::<Option<i64>>("", "second")
        .expect_err("it is text");
    assert_eq!(base.committed_rows(), [7]);
}
