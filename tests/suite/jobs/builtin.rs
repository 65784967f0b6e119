//! The background jobs of the service.

use std::collections::BTreeSet;

use domain::{Role, time::HOUR};
use serde_json::json;

use super::*;

#[test]
fn every_job_has_a_name_of_its_own() {
    let names: Vec<&str> = tools::jobs().map(|job| job.name).collect();
    assert!(names.len() >= 4, "{names:?}");
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for name in names {
        let plain = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(plain, "{name} is not snake_case");
    }
}

#[tokio::test]
async fn expired_rows_are_removed_every_hour_by_one_instance() {
    let app = TestApp::new().await;
    let other = app.second_instance().await;
    let member = app.add_member(Role::Lider).await;
    let member = app.token_client(&member).await;
    let (mut one, mut two) = (app.app.worker(), other.app.worker());
    for turn in 0..2 {
        let key = member.with_idempotency_key(&format!("chave-{turn}-longa"));
        let demand = key.post("/api/demanda", json!({ "title": "Café" }));
        demand.await.expect(200);
        // Simulates the `contents` row of a process that died seven hours ago.
        let left = "INSERT INTO contents (sha256, claims, removing, touched_at)
            VALUES ($1, 1, FALSE, CAST($2 AS BIGINT))";
        let touched = app.now() - 7 * HOUR;
        app.execute_statement(left, [format!("{turn}"), touched.to_string()])
            .await;
        tokio::join!(drain_worker(&mut one), drain_worker(&mut two));
        assert_eq!(app.count_rows("contents").await, 0);
        assert_eq!(app.count_rows("idempotency_keys").await, 1);
        app.advance_clock(25 * HOUR);
    }
    tokio::join!(drain_worker(&mut one), drain_worker(&mut two));
    assert_eq!(app.count_rows("idempotency_keys").await, 0);
    let next = format!(
        "jobs WHERE state = 'queued' AND due_at = {}",
        app.now() + HOUR
    );
    assert_eq!(app.count_rows(&next).await, 3);
    // The other jobs run daily or every minute.
    assert_eq!(app.count_rows("jobs").await, 12);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_that_start_together_do_not_block_each_other() {
    let app = TestApp::new().await;
    let mut others = vec![];
    for _ in 0..4 {
        others.push(app.second_instance().await);
    }
    for _ in 0..10 {
        app.execute_statement("DELETE FROM jobs", []).await;
        let starts = others.iter().map(|other| async {
            let mut worker = other.app.worker();
            worker.drain().await.expect("the jobs run");
        });
        futures::future::join_all(starts).await;
        assert_eq!(app.count_rows("jobs").await, 12);
    }
}
