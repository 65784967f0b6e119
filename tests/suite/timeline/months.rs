//! The retention of events and deliveries, and the monthly partitions.

use domain::{time::DAY, timeline::DeliveryKind};
use sea_orm::{ConnectionTrait, DbBackend};
use serde_json::json;
use store::timeline::{Delivery, save_deliveries};

use super::{
    LEAD_TOKEN, TOKEN, send_events, settle_figures, site_client, timeline_settings, visit_input,
};
use crate::support::TestApp;

async fn service_with_retention(months: &str) -> TestApp {
    let mut settings = timeline_settings();
    settings.push(("PAUTA_TIMELINE_MONTHS", months.into()));
    assert!(TOKEN != LEAD_TOKEN);
    TestApp::with_settings(settings).await
}

async fn list_partitions(app: &TestApp) -> Vec<String> {
    let sql = "SELECT CAST(relname AS TEXT) AS name FROM pg_class
        WHERE relname LIKE 'timeline_events_2%' AND relkind = 'r' ORDER BY relname";
    let rows = app.query_rows(sql.into()).await;
    rows.iter()
        .map(|row| row.try_get("", "name").expect("text"))
        .collect()
}

#[tokio::test]
async fn events_past_the_retention_are_deleted_with_their_sessions() {
    let app = service_with_retention("2").await;
    let client = site_client(&app);
    for month in 0..5 {
        let id = month.to_string();
        let own = visit_input(&format!("s{month}"), &id, json!({}));
        send_events(&client, json!([own, visit_input("sempre", &id, json!({}))])).await;
        app.advance_clock(31 * DAY);
    }
    // The events are from August to December and it is January now, so the events since November
    // are kept.
    assert_eq!(app.count_rows("timeline_events").await, 10);
    app.app.worker().drain().await.expect("the jobs run");
    assert_eq!(app.count_rows("timeline_events").await, 4);
    assert_eq!(app.count_rows("timeline_sessions").await, 3);
    app.app.worker().drain().await.expect("the jobs run");
    assert_eq!(app.count_rows("timeline_events").await, 4);
    if app.backend() == DbBackend::Postgres {
        let kept = list_partitions(&app).await;
        assert_eq!(
            kept.first().map(String::as_str),
            Some("timeline_events_2026_11")
        );
        assert_eq!(
            kept.last().map(String::as_str),
            Some("timeline_events_2027_03")
        );
    }
}

#[tokio::test]
async fn a_new_month_is_created_while_an_import_reads_the_timeline() {
    let app = TestApp::with_settings(timeline_settings()).await;
    if app.backend() != DbBackend::Postgres {
        // This test needs partitions and concurrent writers, which SQLite does not have.
        return;
    }
    let client = site_client(&app);
    let identified = json!({
        "evento": "identificou", "sessao": "s", "id": "1", "email": "ana@exemplo.com.br",
    });
    send_events(&client, json!([identified])).await;
    let import = app.begin().await;
    let sql = "SELECT COUNT(*) AS events FROM timeline_events";
    let read = import.conn().execute_unprepared(sql).await;
    read.expect("reads");
    let before = list_partitions(&app).await.len();
    app.advance_clock(300 * DAY);
    send_events(&client, json!([visit_input("s", "2", json!({}))])).await;
    assert_eq!(list_partitions(&app).await.len(), before + 1);
    assert_eq!(app.count_rows("timeline_events").await, 2);
    import.commit().await.expect("commits");
}

#[tokio::test]
async fn deliveries_past_the_retention_are_deleted_and_remain_counted() {
    let app = service_with_retention("2").await;
    for month in 0..5 {
        let delivery = Delivery {
            message_id: format!("m{month}"),
            position: 0,
            person: None,
            kind: DeliveryKind::Opened,
            occurred_at: app.now(),
            mail_id: format!("mail-{month}"),
            dispatch_id: Some("d".into()),
            launch: None,
            bounce_type: None,
            link: None,
        };
        let tx = app.begin().await;
        let saved = save_deliveries(&tx.conn(), &[delivery], app.now()).await;
        assert_eq!(saved.expect("saves"), 1);
        tx.commit().await.expect("commits");
        app.advance_clock(31 * DAY);
    }
    settle_figures(&app).await;
    app.app.worker().drain().await.expect("the jobs run");
    assert_eq!(app.count_rows("email_deliveries").await, 2);
    assert_eq!(app.count_rows("figure_dispatches WHERE mails = 5").await, 1);
}

#[tokio::test]
async fn an_event_is_stored_even_if_its_month_was_not_prepared() {
    let app = service_with_retention("24").await;
    let answer = send_events(
        &site_client(&app),
        json!([visit_input("s", "1", json!({}))]),
    )
    .await;
    assert_eq!(answer["gravados"], 1);
    if app.backend() == DbBackend::Postgres {
        assert_eq!(list_partitions(&app).await, ["timeline_events_2026_08"]);
    }
    app.app.worker().drain().await.expect("the jobs run");
    if app.backend() == DbBackend::Postgres {
        let prepared = [8, 9, 10].map(|month| format!("timeline_events_2026_{month:02}"));
        assert_eq!(list_partitions(&app).await, prepared);
    }
}
