//! How the databases read the agenda: a month costs as much as its events, however many there are.

use domain::Role;
use sea_orm::DbBackend;

use crate::support::{
    TestApp,
    plans::{scanned, traced},
};

#[tokio::test]
async fn a_month_is_read_along_the_index_of_the_agenda_between_both_ends() {
    let app = TestApp::new().await;
    for role in [Role::Criador, Role::Lider] {
        let client = app.as_member(role).await;
        let month = "/api/eventos?de=2026-08-01&ate=2026-08-31";
        let queries = traced(async {
            client.get(month).await.expect(200);
        });
        let queries = queries.await;
        let sql = queries.iter().find(|sql| sql.contains("FROM events e"));
        let sql = sql.expect("a query of events");
        let (scanned, plan) = scanned(&app, sql, true).await;
        assert!(scanned.is_empty(), "{plan}");
        let bounds: &[&str] = match app.backend() {
            DbBackend::Postgres => &["events_agenda", "agenda_at >=", "agenda_at <"],
            _ => &["events_agenda (agenda_at>? AND agenda_at<?)"],
        };
        for bound in bounds {
            assert!(plan.contains(bound), "{bound}: {sql}\n{plan}");
        }
        let is_sorted = plan.contains("Sort") || plan.contains("TEMP B-TREE FOR ORDER BY");
        assert!(!is_sorted, "{sql}\n{plan}");
    }
}
