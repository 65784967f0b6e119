//! Reads in the audit trail: their counts are collected and written once a minute.

use domain::{Role, TokenId, time::MINUTE};
use serde_json::json;
use store::Db;

use super::audit_rows;
use crate::support::TestApp;

#[tokio::test]
async fn reads_share_one_row_per_credential_operation_interface_and_minute() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let (session, token) = (
        app.session_client(&member).await,
        app.token_client(&member).await,
    );
    // The test clock starts at 12:00:00, the beginning of a minute.
    for _ in 0..5 {
        session.get("/api/eventos").await.expect(200);
    }
    token.get("/api/eventos").await.expect(200);
    for _ in 0..3 {
        session.call_tool("list_events", json!({})).await;
    }
    session.get("/api/tarefas").await.expect(200);
    app.advance_clock(MINUTE - 1);
    session.get("/api/eventos").await.expect(200);
    app.advance_clock(1);
    session.get("/api/eventos").await.expect(200);
    assert_eq!(
        app.count_rows("audit_events").await,
        0,
        "reads must be written later, in the background"
    );

    // Writes the counts of the past minute, but not the counts of the current minute.
    let services = &app.app.gateway.services;
    services
        .reads
        .flush(&services.db, app.now(), false)
        .await
        .expect("writes");
    assert_eq!(
        app.count_rows("audit_events WHERE action = 'list_events'")
            .await,
        3
    );
    app.app.write_all_reads().await;
    app.app.write_all_reads().await;
    let told: Vec<_> = audit_rows(&session, "list_events")
        .await
        .into_iter()
        .map(|row| {
            assert_eq!(
                (&row["outcome"], &row["status_code"]),
                (&json!("allowed"), &json!(200))
            );
            let at = row["occurred_at"].as_str().expect("text")[11..16].to_owned();
            let metadata = &row["metadata"];
            (
                at,
                row["auth_method"].clone(),
                metadata["door"].clone(),
                metadata["count"].clone(),
            )
        })
        .collect();
    let line = |at: &str, method: &str, door: &str, count: u32| {
        (at.to_owned(), json!(method), json!(door), json!(count))
    };
    assert_eq!(told.len(), 4, "{told:?}");
    for expected in [
        line("15:00", "session", "rest", 6),
        line("15:00", "personal_token", "rest", 1),
        line("15:00", "session", "mcp", 3),
        line("15:01", "session", "rest", 1),
    ] {
        assert!(told.contains(&expected), "{expected:?} in {told:?}");
    }
    assert_eq!(audit_rows(&session, "list_my_tasks").await.len(), 1);
}

#[tokio::test]
async fn a_list_that_is_shortened_for_a_tool_counts_as_one_read() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    for n in 0..5 {
        let value = json!({ "key": format!("chave.{n}"), "value": "v".repeat(30_000) });
        admin.post("/api/config", value).await.expect(200);
    }
    let page = admin
        .call_tool("list_config_history", json!({ "limit": 5 }))
        .await;
    let rows_given = page.structured["log"].as_array().map(Vec::len);
    assert!(rows_given < Some(5), "{rows_given:?}");
    app.app.write_all_reads().await;
    let rows = audit_rows(&admin, "list_config_history").await;
    assert_eq!(
        (rows.len(), &rows[0]["metadata"]["count"]),
        (1, &json!(1)),
        "{rows:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_concurrent_read_is_counted() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let admin = admin.clone();
        tasks.spawn(async move { admin.get("/api/tarefas").await.status });
    }
    assert!(
        tasks
            .join_all()
            .await
            .into_iter()
            .all(|status| status == 200)
    );
    app.app.write_all_reads().await;
    let rows = audit_rows(&admin, "list_my_tasks").await;
    assert_eq!(
        (rows.len(), &rows[0]["metadata"]["count"]),
        (1, &json!(200))
    );
}

#[tokio::test]
async fn reads_that_could_not_be_written_are_written_later() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let (session, token) = (
        app.session_client(&member).await,
        app.token_client(&member).await,
    );
    token.get("/api/eventos").await.expect(200);
    session.get("/api/eventos").await.expect(200);
    app.advance_clock(MINUTE);
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/empty.db", folder.path().display());
    let without_tables = Db::open(&url).await.expect("opens");
    let services = &app.app.gateway.services;
    let written = services
        .reads
        .flush(&without_tables, app.now(), false)
        .await;
    assert!(written.is_err());
    // Another read in the same minute is counted in the same row.
    app.advance_clock(-MINUTE);
    session.get("/api/eventos").await.expect(200);
    app.app.write_all_reads().await;
    let counts: Vec<_> = audit_rows(&session, "list_events")
        .await
        .into_iter()
        .map(|row| (row["auth_method"].clone(), row["metadata"]["count"].clone()))
        .collect();
    assert_eq!(counts.len(), 2, "{counts:?}");
    for expected in [("session", 2), ("personal_token", 1)] {
        let expected = (json!(expected.0), json!(expected.1));
        assert!(counts.contains(&expected), "{expected:?} in {counts:?}");
    }
    let used = "personal_tokens WHERE last_used_at IS NOT NULL";
    assert_eq!(app.count_rows(used).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_that_write_the_use_of_the_same_tokens_do_not_lock_each_other_out() {
    let app = TestApp::new().await;
    let other = app.second_instance().await;
    let member = app.add_member(Role::Admin).await;
    for _ in 0..30 {
        app.token_client(&member).await;
    }
    let session = app.session_client(&member).await;
    let listed = session.get("/api/access/tokens").await.expect(200).body;
    let tokens = listed["tokens"].as_array().expect("a list").iter();
    let ids: Vec<TokenId> = tokens
        .map(|token| TokenId::from(token["id"].as_str().expect("an id")))
        .collect();
    assert!(ids.len() > 20, "{}", ids.len());
    let write_uses = async |app: &TestApp| {
        let services = &app.app.gateway.services;
        for id in &ids {
            services.reads.record_token_use(id, app.now());
        }
        let written = services.reads.flush(&services.db, app.now(), true).await;
        written.expect("no deadlock");
    };
    for _ in 0..10 {
        tokio::join!(write_uses(&app), write_uses(&other));
    }
}
