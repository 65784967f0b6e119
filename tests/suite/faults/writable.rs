//! `/readyz` writes to the database, and responds in time whatever the state of the database is.

use sea_orm::DbBackend;

use super::*;

async fn readiness_status(app: &TestApp) -> u16 {
    let begun = Instant::now();
    let status = app.anonymous().get("/readyz").await.status;
    assert!(begun.elapsed() < Duration::from_secs(2));
    status
}

#[tokio::test]
async fn a_database_that_rejects_writes_is_not_ready() {
    let app = TestApp::new().await;
    assert_eq!(readiness_status(&app).await, 200);
    let url = app.database_url().to_owned();
    let read_only = if app.backend() == DbBackend::Sqlite {
        format!("{url}?mode=ro")
    } else {
        format!("{url}?options=-c%20default_transaction_read_only%3Don")
    };
    let settings = vec![("PAUTA_DATABASE_URL", read_only)];
    let reader = app.second_instance_with(settings).await;
    assert_eq!(readiness_status(&reader).await, 503);
    reader.anonymous().get("/api/health").await.expect(200);
}

#[tokio::test]
async fn a_service_with_a_blocked_writer_is_not_ready_and_responds_in_time() {
    let app = TestApp::on_sqlite().await;
    let file = app.database_url().trim_start_matches("sqlite://");
    let other = rusqlite::Connection::open(file).expect("opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("begins");
    assert_eq!(readiness_status(&app).await, 503);
    other
        .execute_batch("ROLLBACK")
        .expect("the transaction ends");
    tokio::time::sleep(Duration::from_millis(600)).await;
    let begun = Instant::now();
    while readiness_status(&app).await != 200 {
        assert!(begun.elapsed() < RECOVERY);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
