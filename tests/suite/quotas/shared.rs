//! Quota counts that several instances share through the database.

use domain::Role;
use sea_orm::DbBackend;

use super::{assert_over_quota, quota_settings};
use crate::support::TestApp;

async fn share_counts(apps: [&TestApp; 2]) {
    // Runs two rounds, because the first instance reads the counts of the second one only in the second
    // round.
    for app in apps.into_iter().chain(apps) {
        app.app.share_counted_calls().await;
    }
}

#[tokio::test]
async fn instances_over_postgresql_share_the_counts_of_quotas() {
    const MOST: u32 = 10;
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_CREDENTIAL", MOST)).await;
    if app.backend() == DbBackend::Sqlite {
        return;
    }
    let settings = quota_settings("PAUTA_QUOTA_CREDENTIAL", MOST).to_vec();
    let other = app.second_instance_with(settings).await;
    let member = app.add_member(Role::Lider).await;
    let here = app.token_client(&member).await;
    let there = here.at_instance(&other);
    let mut admitted = 0;
    for _ in 0..MOST {
        for client in [&here, &there] {
            admitted += u32::from(client.get("/api/eventos").await.status == 200);
        }
        share_counts([&app, &other]).await;
    }
    // An instance reads the calls of the other one only when it shares its own counts, so up to two more
    // calls are admitted.
    assert!((MOST..=MOST + 2).contains(&admitted), "{admitted}");
    for client in [&here, &there] {
        assert_over_quota(client, 600).await;
    }
}

#[tokio::test]
async fn shared_counts_contain_no_addresses() {
    let app = TestApp::with_settings(quota_settings("PAUTA_QUOTA_ADDRESS", 4)).await;
    let other = app
        .second_instance_with(quota_settings("PAUTA_QUOTA_ADDRESS", 4).to_vec())
        .await;
    app.anonymous()
        .with_address("203.0.113.77")
        .get("/api/nada")
        .await
        .expect(404);
    share_counts([&app, &other]).await;
    let rows = i64::from(app.backend() != DbBackend::Sqlite);
    assert_eq!(app.count_rows("attempts").await, rows);
    assert!(!app.contains_text("203.0.113.77").await);
}
