//! From SQLite to PostgreSQL.

#![cfg(unix)]

use std::{collections::BTreeMap, fs};

use sea_orm::{ConnectionTrait, Database, DbBackend, Statement};

use super::{content, in_portuguese, pauta, said, start_demo};

#[test]
fn move_leaves_only_an_sqlite_file_for_a_postgresql_server() {
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
        let output = pauta(directory.path(), settings, &["move", "--to", to]);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(expected), "{text}");
        in_portuguese(&text);
    }
    assert!(content(directory.path()).is_empty());
}

/// Where the tests run on PostgreSQL, the demo moves there.
#[tokio::test(flavor = "multi_thread")]
async fn everything_of_the_demo_moves_to_postgresql() {
    let Ok(server) = std::env::var("PAUTA_TEST_DATABASE_URL") else {
        return;
    };
    let name = format!("pauta_moved_{}", std::process::id());
    let admin = Database::connect(&server)
        .await
        .expect("the server answers");
    let create = format!("CREATE DATABASE {name}");
    admin.execute_unprepared(&create).await.expect("it is new");
    let (base, _) = server.rsplit_once('/').expect("a URL with a database name");
    let to = format!("{base}/{name}");

    let directory = tempfile::tempdir().expect("a directory");
    let (running, folder) = start_demo(directory.path());
    drop(running);
    let url = format!("sqlite://{}/pauta.db", folder.display());
    let before = [("PAUTA_DATABASE_URL", &*url)];
    let output = pauta(directory.path(), &before, &["move", "--to", &to]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    in_portuguese(&text);
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
        let output = pauta(directory.path(), settings, arguments);
        assert!(output.status.success(), "{}", said(&output));
        said(&output)
    };
    assert!(!run(&after, &["doctor"]).contains("FALHA"));
    let list = ["knowledge", "list"];
    assert_eq!(run(&after, &list), run(&before, &list));
    let moved = Database::connect(&to).await.expect("the server answers");
    let sql =
        "SELECT count(*) AS n FROM knowledge_index i JOIN knowledge_chunks c ON c.seq = i.rowid
        WHERE length(i.terms) > 0";
    let indexed = Statement::from_string(DbBackend::Postgres, sql);
    let indexed = moved.query_one_raw(indexed).await.expect("counts");
    let indexed: i64 = indexed.expect("a row").try_get("", "n").expect("a number");
    assert_eq!(indexed.cast_unsigned(), rows["knowledge_chunks"]);
    moved.close().await.expect("closes");

    let again = pauta(directory.path(), &before, &["move", "--to", &to]);
    let text = said(&again);
    assert_eq!(again.status.code(), Some(1), "{text}");
    assert!(text.contains("já foi usado"), "{text}");
    let drop = format!("DROP DATABASE {name} WITH (FORCE)");
    admin.execute_unprepared(&drop).await.expect("it goes");
}
