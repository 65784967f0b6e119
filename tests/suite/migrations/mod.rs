//! Migrating the database of an earlier version of the service.

use std::collections::BTreeMap;

use domain::Role;
use sea_orm::DbBackend;
use serde_json::json;

use crate::support::TestApp;

/// The database of a small team after the ninth migration: events with an edited caption, an
/// assignee and a picture, an e-mail draft, a project, a skill, a configuration.
const SQLITE: &str = include_str!("000009.sqlite.sql");
const POSTGRES: &str = include_str!("000009.postgres.sql");

/// Tables and columns that later migrations removed or added.
const MOVED: [(&str, &str); 7] = [
    ("events", "search_text"),
    ("event_media", "media_type"),
    ("events", "post_url"),
    ("media", "source_url"),
    ("event_texts", "number"),
    ("event_texts", "pending"),
    ("knowledge_embedding", "lease_until"),
];

/// Returns all rows as text, by table.
async fn rows_by_table(app: &TestApp) -> BTreeMap<String, Vec<String>> {
    let tables = if app.backend() == DbBackend::Postgres {
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
    } else {
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
    };
    let mut rows = BTreeMap::new();
    for table in app.query_rows(tables.into()).await {
        let table: String = table.try_get("", "name").expect("a name");
        if table.starts_with("knowledge_index")
            || table.starts_with("event_index")
            || table.starts_with("search_index")
            || table == "seaql_migrations"
        {
            continue;
        }
        let moved = MOVED.iter().filter(|(of, _)| *of == table);
        let moved: Vec<&str> = moved.map(|(_, column)| *column).collect();
        let mut texts = app.table_texts(&table, &moved).await;
        texts.sort();
        rows.insert(table, texts);
    }
    rows
}

#[tokio::test]
async fn the_data_of_an_earlier_version_are_migrated_without_loss() {
    let app = TestApp::from_dump(SQLITE, POSTGRES).await;
    let before = rows_by_table(&app).await;
    assert!(before["events"].len() == 2 && before["event_history"].len() >= 4);
    let db = &app.app.gateway.services.db;
    assert_eq!(db.pending_migrations().await.expect("reads"), 43);
    db.migrate().await.expect("migrates");
    assert_eq!(db.pending_migrations().await.expect("reads"), 0);
    let after = rows_by_table(&app).await;
    for (table, rows) in &before {
        assert_eq!(after.get(table), Some(rows), "{table}");
    }
}

#[tokio::test]
async fn the_service_works_with_the_data_of_an_earlier_version() {
    let app = TestApp::from_dump(SQLITE, POSTGRES).await;
    let db = &app.app.gateway.services.db;
    db.migrate().await.expect("migrates");
    let dump = if app.backend() == DbBackend::Postgres {
        POSTGRES
    } else {
        SQLITE
    };
    let token = dump
        .lines()
        .find_map(|line| line.strip_prefix("-- token: "));
    let lead = app.bearer(token.expect("the dump contains a token"));

    let found = lead.get("/api/eventos?q=MANDIOCA&channel=instagram").await;
    let found = found.expect(200).body;
    assert_eq!(
        found["eventos"].as_array().map(Vec::len),
        Some(1),
        "{found}"
    );
    let id = found["eventos"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();

    let shown = lead
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect(200)
        .body;
    let event = &shown["evento"];
    assert_eq!(event["title"], "Fornada de sábado");
    assert_eq!(event["assignees_names"], json!(["Helena Prado"]));
    assert_eq!(event["media"][0]["media_type"], "image/jpeg");
    let caption = event["description"].as_str().expect("a caption");
    assert!(caption.contains("sai às dez"), "{caption}");
    let lines = shown["historico"].as_array().expect("lines");
    let edit = lines
        .iter()
        .find(|line| line["changes"]["description"]["after"] == caption);
    let before = &edit.expect("the edit")["changes"]["description"]["before"];
    assert!(
        before
            .as_str()
            .is_some_and(|text| text.contains("sai às nove"))
    );

    let draft = json!({ "event_id": id, "expected_revision": event["api_revision"],
        "caption": caption.replace("broa", "pamonha") });
    lead.post("/api/draft", draft).await.expect(200);
    let found = lead.get("/api/eventos?q=pamonha").await.expect(200).body;
    assert_eq!(found["eventos"].as_array().map(Vec::len), Some(1));

    let skills = lead.get("/api/skills").await.expect(200).body;
    assert!(skills.to_string().contains("glossario-da-casa"), "{skills}");
    let question = json!({ "pergunta": "como escrevemos e-mail" });
    let known = lead.post("/api/rag", question).await.expect(200).body;
    assert!(known.to_string().contains("glossario-da-casa"), "{known}");
}

#[tokio::test]
async fn a_database_that_a_later_version_has_migrated_is_refused() {
    let app = TestApp::new().await;
    let later = "m29990101_000001_later".to_owned();
    let note = "INSERT INTO seaql_migrations (version, applied_at) VALUES ($1, 1)";
    app.execute_statement(note, [later.clone()]).await;
    let db = &app.app.gateway.services.db;
    let refused = db.migrate().await.expect_err("the migration is unknown");
    assert!(refused.to_string().contains(&later), "{refused}");
    db.pending_migrations()
        .await
        .expect_err("the migration is unknown");
}

#[tokio::test]
async fn the_search_over_everything_finds_the_data_of_an_earlier_version() {
    let app = TestApp::from_dump(SQLITE, POSTGRES).await;
    let db = &app.app.gateway.services.db;
    db.migrate().await.expect("migrates");
    assert_eq!(app.count_rows("search_texts WHERE text IS NULL").await, 3);
    let admin = app.as_member(Role::Admin).await;
    let find = async |q: &str| -> Vec<String> {
        let answer = admin.get(&format!("/api/busca?q={q}")).await.expect(200);
        let groups = answer.body["grupos"].as_array().expect("groups").clone();
        let kinds = groups.iter().map(|group| group["tipo"].as_str());
        kinds.map(|kind| kind.expect("a kind").to_owned()).collect()
    };
    // Events are found at once; other resources only after the job has indexed them.
    assert_eq!(find("fornadas").await, ["evento"]);
    app.advance_clock(61_000);
    app.app.worker().drain().await.expect("the jobs run");
    assert_eq!(app.count_rows("search_texts WHERE pending").await, 0);
    assert_eq!(app.count_rows("event_texts WHERE pending").await, 0);
    assert_eq!(find("fornadas").await, ["evento", "midia"]);
    assert_eq!(find("bolo%20festa").await, ["projeto"]);
    assert_eq!(find("cursos%20pao").await, ["email"]);
    assert_eq!(find("antes%20da%20aula").await, ["projeto"]);
}
