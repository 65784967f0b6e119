//! The instant up to which the data of a source are known.

use serde_json::{Value, json};
use tools::operator::{Imported, finish_import};

use super::{create_launch, financial_client, get, instant_millis};
use crate::support::TestApp;

async fn record_import(app: &TestApp, latest: Option<&str>) {
    let imported = Imported {
        rows_read: 1,
        rows_written: 1,
        latest: latest.map(instant_millis),
    };
    let tx = app.begin().await;
    finish_import(&tx, "purchases", imported, app.now())
        .await
        .expect("records");
    tx.commit().await.expect("commits");
}

#[tokio::test]
async fn an_import_may_make_a_source_newer_but_never_older() {
    let app = TestApp::new().await;
    let client = financial_client(&app).await;
    let path = format!(
        "/api/lancamentos/{}/saude",
        create_launch(&app, json!({})).await
    );
    let fresh = async || -> Value {
        let health = get(&client, &path).await;
        assert_eq!(health["fontes"][0]["fonte"], "importacao:purchases");
        health["fontes"][0]["atualizada_em"].clone()
    };
    record_import(&app, None).await;
    assert_eq!(
        fresh().await,
        json!(null),
        "an empty file must not set an instant"
    );
    record_import(&app, Some("2026-08-20T12:00:00Z")).await;
    assert_eq!(fresh().await, "2026-08-20T12:00:00.000Z");
    record_import(&app, Some("2026-08-01T12:00:00Z")).await;
    assert_eq!(fresh().await, "2026-08-20T12:00:00.000Z");
    record_import(&app, None).await;
    assert_eq!(fresh().await, "2026-08-20T12:00:00.000Z");
    record_import(&app, Some("2026-08-21T12:00:00Z")).await;
    assert_eq!(fresh().await, "2026-08-21T12:00:00.000Z");
    record_import(&app, Some("2026-12-31T12:00:00Z")).await;
    let now = domain::time::Timestamp(app.now()).to_string();
    assert_eq!(
        fresh().await,
        json!(now),
        "a future instant must count as now"
    );
}
