//! A database that another version of the service left behind.

use domain::Role;
use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn what_an_earlier_version_left_is_migrated_and_nothing_of_it_is_lost() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let event = lead.demand(json!({})).await;
    app.execute("DROP TABLE known_networks", []).await;
    let last = "m20261122_000009_known_networks".to_owned();
    let forget = "DELETE FROM seaql_migrations WHERE version = $1";
    app.execute(forget, [last]).await;
    let db = &app.app.gateway.services.db;
    assert_eq!(db.pending_migrations().await.expect("reads"), 1);
    db.migrate().await.expect("migrates");
    assert_eq!(db.pending_migrations().await.expect("reads"), 0);
    assert_eq!(app.count("known_networks").await, 0);
    let shown = lead.get(&format!("/api/eventos/{event}")).await;
    shown.expect(200);
}

#[tokio::test]
async fn a_database_that_a_later_version_has_migrated_is_refused() {
    let app = TestApp::new().await;
    let later = "m29990101_000001_later".to_owned();
    let note = "INSERT INTO seaql_migrations (version, applied_at) VALUES ($1, 1)";
    app.execute(note, [later.clone()]).await;
    let db = &app.app.gateway.services.db;
    let refused = db.migrate().await.expect_err("it is unknown here");
    assert!(refused.to_string().contains(&later), "{refused}");
    db.pending_migrations().await.expect_err("it is unknown");
}
