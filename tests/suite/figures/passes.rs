//! Updates of the figures from marked rows while other rows are written.

use serde_json::json;
use store::figures::Pass;

use super::{
    approved_purchase, derive_person_id, identification_event, record_events, save_purchases,
    settle_figures, visit_event,
};
use crate::support::TestApp;

#[tokio::test]
async fn a_pass_processes_the_rows_marked_before_it_and_ends_while_events_keep_arriving() {
    let app = TestApp::new().await;
    let ana = derive_person_id(&app, "ana");
    save_purchases(
        &app,
        vec![domain::sales::Purchase {
            person: Some(ana.clone()),
            ..approved_purchase("T1", "2026-08-11T13:00:00Z", 9_900)
        }],
    )
    .await;
    let came = "2026-08-11T12:00:00Z";
    record_events(
        &app,
        &[
            visit_event("s0", came, json!({ "utm_medium": "cpc" })),
            identification_event("s0", "2026-08-11T12:01:00Z", ana),
        ],
    )
    .await;
    let mut pass = Pass::default();
    let mut steps = 0;
    loop {
        let tx = app.begin().await;
        let more = pass
            .run(&tx.conn(), app.now(), || false)
            .await
            .expect("counts");
        tx.commit().await.expect("commits");
        if !more {
            break;
        }
        steps += 1;
        assert!(steps < 20, "the pass did not end");
        record_events(&app, &[visit_event(&format!("s{steps}"), came, json!({}))]).await;
    }
    let paid = "figure_touches t JOIN figure_origins o ON o.id = t.origin
        WHERE o.channel = 'pago' AND t.first_sales = 1 AND t.last_sales = 1";
    assert_eq!(app.count_rows(paid).await, 1);
    let left = "timeline_sessions WHERE stale = 1";
    assert_eq!(app.count_rows(left).await, i64::from(steps));
    settle_figures(&app).await;
    assert_eq!(app.count_rows(left).await, 0);
}

/// On SQLite, statements run on the thread that polls them. A pass that never yields would keep the
/// other tasks of this thread from requesting the write connection.
#[tokio::test]
async fn a_pass_lets_other_tasks_run_between_its_steps() {
    let app = TestApp::new().await;
    record_events(
        &app,
        &[visit_event("s0", "2026-08-11T12:00:00Z", json!({}))],
    )
    .await;
    let other = tokio::spawn(async {});
    let tx = app.begin().await;
    let goes_on = || !other.is_finished();
    let run = Pass::default().run(&tx.conn(), app.now(), goes_on).await;
    assert!(
        run.expect("counts"),
        "the pass ended before the other task ran"
    );
    assert!(other.is_finished());
}
