//! The move from SQLite to PostgreSQL.

#![cfg(unix)]

use std::{collections::BTreeMap, fs};

use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use store::Db;

use super::{assert_portuguese, file_contents, output_text, run_pauta, start_demo};

#[test]
fn move_accepts_only_a_sqlite_source_and_a_postgresql_target() {
    let directory = tempfile::tempdir().expect("a directory");
    let postgres = "postgres://u@127.0.0.1:1/b";
    let secret = "s".repeat(40);
    for (settings, to, expected) in [
        (&[][..], "sqlite://outro.db", "deve começar com postgres://"),
        (&[], postgres, "data/pauta.db não existe"),
        (
            &[("PAUTA_DATABASE_URL", postgres), ("PAUTA_SECRET", &*secret)],
            postgres,
            "já é um banco PostgreSQL",
        ),
    ] {
        let output = run_pauta(directory.path(), settings, &["move", "--to", to]);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(expected), "{text}");
        assert_portuguese(&text);
    }
    // Other users can see a password on the command line, but not a password in an environment
    // variable.
    let unknown = [("PAUTA_MOVE_TO", "sqlite://outro.db")];
    let text = output_text(&run_pauta(directory.path(), &unknown, &["move"]));
    assert!(text.contains("deve começar com postgres://"), "{text}");
    let text = output_text(&run_pauta(directory.path(), &[], &["move"]));
    assert!(text.contains("defina PAUTA_MOVE_TO"), "{text}");
    assert!(file_contents(directory.path()).is_empty());
}

/// A new PostgreSQL database; `None` if the tests run on SQLite.
struct Target {
    admin: Db,
    name: String,
    url: String,
}

impl Target {
    async fn new(what: &str) -> Option<Self> {
        let server = std::env::var("PAUTA_TEST_DATABASE_URL").ok()?;
        let name = format!("pauta_{what}_{}", std::process::id());
        let admin = Db::open(&server).await.expect("the server answers");
        let create = format!("CREATE DATABASE {name}");
        admin
            .reader()
            .execute_unprepared(&create)
            .await
            .expect("the database is new");
        let (base, _) = server.rsplit_once('/').expect("a URL with a database name");
        let url = format!("{base}/{name}");
        Some(Self { admin, name, url })
    }

    async fn drop(self) {
        let drop = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        self.admin
            .reader()
            .execute_unprepared(&drop)
            .await
            .expect("the database is deleted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_moved_into_the_partitions_of_their_months() {
    let Some(target) = Target::new("months").await else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(
        directory.path().join("crm.csv"),
        "email,etapa,ocorreu_em\nana@exemplo.com.br,lead,2026-08-22 14:30\n",
    )
    .expect("writes");
    // The import creates the database.
    let output = run_pauta(directory.path(), &[], &["import", "crm", "crm.csv"]);
    assert!(output.status.success(), "{}", output_text(&output));
    let file = rusqlite::Connection::open(directory.path().join("data/pauta.db")).expect("opens");
    let instants = [
        "2019-01-31T23:59:59.999Z",
        "2019-02-01T00:00:00.000Z",
        "2026-08-22T14:30:00.000Z",
        "2026-08-31T23:59:59.999Z",
    ];
    let made = file.execute_batch(
        "INSERT INTO timeline_sessions (id, session, first_at, last_at) VALUES ('s', 's', 0, 0)",
    );
    made.expect("a session");
    for instant in instants {
        let at: Timestamp = instant.parse().expect("an instant");
        let sql = "INSERT INTO timeline_events (session_id, id, occurred_at, received_at, kind)
            VALUES ('s', ?1, ?2, ?2, 'visitou_pagina')";
        file.execute(sql, (instant, at.0)).expect("an event");
    }
    drop(file);
    let output = run_pauta(directory.path(), &[], &["move", "--to", &target.url]);
    assert!(output.status.success(), "{}", output_text(&output));

    let moved = Db::open(&target.url).await.expect("the server answers");
    let sql = "SELECT CAST(CAST(tableoid AS regclass) AS TEXT) AS place, id FROM timeline_events";
    let rows = Statement::from_string(DbBackend::Postgres, sql);
    let rows = moved.reader().query_all_raw(rows).await.expect("reads");
    let places: BTreeMap<String, String> = rows
        .iter()
        .map(|row| {
            let id: String = row.try_get("", "id").expect("text");
            (id, row.try_get("", "place").expect("text"))
        })
        .collect();
    let months = ["2019_01", "2019_02", "2026_08", "2026_08"];
    let months = months.map(|month| format!("timeline_events_{month}"));
    let expected = instants.map(str::to_owned).into_iter().zip(months);
    assert_eq!(places, expected.collect());
    moved.close().await.expect("closes");
    target.drop().await;
}

/// Moves the whole demo to PostgreSQL. Does nothing if the tests run on SQLite.
#[tokio::test(flavor = "multi_thread")]
async fn everything_of_the_demo_moves_to_postgresql() {
    let Some(target) = Target::new("moved").await else {
        return;
    };
    let to = target.url.clone();

    let directory = tempfile::tempdir().expect("a directory");
    let (running, folder) = start_demo(directory.path());
    drop(running);
    let url = format!("sqlite://{}/pauta.db", folder.display());
    let before = [("PAUTA_DATABASE_URL", &*url)];
    let output = run_pauta(directory.path(), &before, &["move", "--to", &to]);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_portuguese(&text);
    let rows: BTreeMap<&str, u64> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let count = words.next()?.parse().ok()?;
            Some((words.next()?, count))
        })
        .collect();
    for table in [
        "events",
        "members",
        "media",
        "knowledge_chunks",
        "audit_events",
        "outbox",
    ] {
        assert!(
            rows.get(table).is_some_and(|count| *count > 0),
            "{table}: {text}"
        );
    }

    let secret = fs::read_to_string(folder.join("pauta.secret")).expect("a secret");
    let media = folder.join("media");
    let after = [
        ("PAUTA_DATABASE_URL", &*to),
        ("PAUTA_SECRET", secret.trim()),
        ("PAUTA_STORAGE", media.to_str().expect("text")),
    ];
    let run = |settings: &[(&str, &str)], arguments: &[&str]| {
        let output = run_pauta(directory.path(), settings, arguments);
        assert!(output.status.success(), "{}", output_text(&output));
        output_text(&output)
    };
    assert!(!run(&after, &["doctor"]).contains("FALHA"));
    let list = ["knowledge", "list"];
    assert_eq!(run(&after, &list), run(&before, &list));
    let moved = Db::open(&to).await.expect("the server answers");
    let sql =
        "SELECT count(*) AS n FROM knowledge_index i JOIN knowledge_chunks c ON c.seq = i.rowid
        WHERE length(i.terms) > 0";
    let indexed = Statement::from_string(DbBackend::Postgres, sql);
    let indexed = moved.reader().query_one_raw(indexed).await.expect("counts");
    let indexed: i64 = indexed.expect("a row").try_get("", "n").expect("a number");
    assert_eq!(indexed.cast_unsigned(), rows["knowledge_chunks"]);
    // The next row of the outbox gets a higher id than the copied rows.
    let sql =
        "SELECT nextval(pg_get_serial_sequence('outbox', 'id')) > max(id) AS follows FROM outbox";
    let next = Statement::from_string(DbBackend::Postgres, sql);
    let next = moved.reader().query_one_raw(next).await.expect("reads");
    let follows: bool = next
        .expect("a row")
        .try_get("", "follows")
        .expect("a truth");
    assert!(follows);
    moved.close().await.expect("closes");

    let again = run_pauta(directory.path(), &before, &["move", "--to", &to]);
    let text = output_text(&again);
    assert_eq!(again.status.code(), Some(1), "{text}");
    assert!(text.contains("já foi usado"), "{text}");
    target.drop().await;
}
