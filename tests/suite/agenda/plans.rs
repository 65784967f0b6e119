//! The query plans of the agenda. The cost of reading a month depends on the events of that month,
//! not on all events.

use domain::Role;
use sea_orm::DbBackend;
use serde_json::json;

use crate::support::{
    Client, TestApp,
    plans::{scanned_tables, trace_queries},
};

#[tokio::test]
async fn a_month_reads_only_its_dates_from_an_agenda_index() {
    let app = TestApp::new().await;
    for (role, on_sqlite) in [
        (
            Role::Criador,
            "event_people_agenda (member_id=? AND agenda_at>? AND agenda_at<?)",
        ),
        (Role::Lider, "events_agenda (agenda_at>? AND agenda_at<?)"),
    ] {
        let client = app.as_member(role).await;
        let month = "/api/eventos?de=2026-08-01&ate=2026-08-31";
        let queries = trace_queries(async {
            client.get(month).await.expect(200);
        });
        let queries = queries.await;
        let sql = queries.iter().find(|sql| sql.contains("events e"));
        let sql = sql.expect("a query of events");
        let (scanned, plan) = scanned_tables(&app, sql, true).await;
        assert!(scanned.is_empty(), "{plan}");
        let bounds: &[&str] = match app.backend() {
            DbBackend::Postgres => &["_agenda", "agenda_at >=", "agenda_at <"],
            _ => &[on_sqlite],
        };
        for bound in bounds {
            assert!(plan.contains(bound), "{bound}: {sql}\n{plan}");
        }
        let is_sorted = plan.contains("Sort") || plan.contains("TEMP B-TREE FOR ORDER BY");
        assert!(!is_sorted, "{sql}\n{plan}");
    }
}

/// Returns the queries over events that a request sends, with their plans.
async fn explain_queries(app: &TestApp, client: &Client, path: &str) -> Vec<(String, String)> {
    let queries = trace_queries(async {
        client.get(path).await.expect(200);
    });
    let mut plans = vec![];
    for sql in queries.await {
        if sql.contains("events e") || sql.contains("event_index") {
            let (mut scanned, plan) = scanned_tables(app, &sql, true).await;
            // Every query may scan the search index and CTEs. A query with a `LIMIT` may also scan
            // the texts that are not indexed yet and the indexes of the agenda.
            for table in [
                "event_index",
                "found",
                "step",
                "matching",
                "ending",
                "channels",
            ] {
                scanned.remove(table);
            }
            // A scan of this index is allowed, because the index contains only the variants that
            // wait for a decision.
            if plan.contains("SCAN v USING INDEX event_variants_undecided") {
                scanned.remove("event_variants");
            }
            for (index, table) in [
                ("SCAN t USING INDEX event_texts_pending", "event_texts"),
                ("SCAN e USING COVERING INDEX events_agenda", "events"),
                ("SCAN e USING INDEX events_agenda", "events"),
                ("SCAN e USING INDEX events_open", "events"),
            ] {
                if plan.contains(index) && sql.contains("LIMIT") {
                    scanned.remove(table);
                }
            }
            assert!(scanned.is_empty(), "{path}: {sql}\n{plan}");
            plans.push((sql, plan));
        }
    }
    plans
}

#[tokio::test]
async fn lists_are_read_from_the_index_of_the_member_or_of_open_events() {
    let app = TestApp::new().await;
    let (creator, lead) = (
        app.as_member(Role::Criador).await,
        app.as_member(Role::Lider).await,
    );
    for (client, path, index) in [
        (&lead, "/api/anexaveis", "events_open"),
        (&creator, "/api/eventos", "event_people_agenda"),
        (
            &creator,
            "/api/eventos?de=2026-08-01&ate=2026-08-31",
            "event_people_agenda",
        ),
        (
            &creator,
            "/api/eventos?status=recusado",
            "event_people_open",
        ),
        (&creator, "/api/tarefas", "event_people_open"),
        (&creator, "/api/anexaveis", "event_people_open"),
    ] {
        for (sql, plan) in explain_queries(&app, client, path).await {
            assert!(plan.contains(index), "{path}: {sql}\n{plan}");
            // If the request filters by status, PostgreSQL sorts the few rows of a test.
            let is_sorted = plan.contains("TEMP B-TREE FOR ORDER BY");
            assert!(!is_sorted, "{path}: {sql}\n{plan}");
        }
    }
}

#[tokio::test]
async fn the_page_of_the_day_and_the_navigation_counts_are_read_from_indexes() {
    let app = TestApp::new().await;
    for role in [Role::Criador, Role::Lider, Role::Admin] {
        let client = app.session_client(&app.add_member(role).await).await;
        for path in [
            "/api/espera",
            "/api/meu-dia",
            "/api/access/agents/atividade",
        ] {
            let plans = explain_queries(&app, &client, path).await;
            assert!(!plans.is_empty(), "{path}");
            for (table, index) in [
                ("FROM audit_events", "audit_events_a"),
                ("v.due_at >= $1", "event_variants_due"),
            ] {
                for (sql, plan) in plans.iter().filter(|(sql, _)| sql.contains(table)) {
                    assert!(plan.contains(index), "{path}: {sql}\n{plan}");
                }
            }
        }
    }
}

#[tokio::test]
async fn the_changes_of_all_agents_are_read_from_their_own_index() {
    let app = TestApp::new().await;
    let admin = app.session_client(&app.add_member(Role::Admin).await).await;
    for path in [
        "/api/access/agents/atividade",
        "/api/access/agents/atividade?por_agente=true",
    ] {
        let plans = explain_queries(&app, &admin, path).await;
        let of_agents = plans.iter().find(|(sql, _)| sql.contains("audit_events"));
        let (sql, plan) = of_agents.expect("a query of the audit trail");
        assert!(
            plan.contains("audit_events_agents"),
            "{path}: {sql}\n{plan}"
        );
    }
}

#[tokio::test]
async fn the_pieces_of_a_channel_and_late_pieces_are_listed_without_a_scan_of_a_table() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    // If a channel had no piece, its list would be answered without the query that this test
    // examines.
    for channel in ["tiktok", "instagram"] {
        lead.create_demand(json!({ "title": "Bolo", "channel": channel }))
            .await;
    }
    for role in [Role::Criador, Role::Lider] {
        let client = app.session_client(&app.add_member(role).await).await;
        for path in [
            "/api/eventos?channel=tiktok",
            "/api/eventos?atrasados=true",
            "/api/eventos?de=2026-08-01&ate=2026-08-31&channel=instagram",
        ] {
            let plans = explain_queries(&app, &client, path).await;
            let is_list = |sql: &str| sql.contains("JOIN members c") && sql.contains("LIMIT");
            let mut queries = plans.iter();
            assert!(queries.any(|(sql, _)| is_list(sql)), "{path}: {plans:?}");
        }
    }
}

#[tokio::test]
async fn a_search_scans_no_table() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for number in 0..30 {
        lead.create_demand(json!({ "title": format!("Bolo {number}") }))
            .await;
    }
    for role in [Role::Criador, Role::Lider] {
        let client = app.as_member(role).await;
        let plans = explain_queries(&app, &client, "/api/eventos?q=broa&limit=1").await;
        if role == Role::Lider {
            let by_the_index = plans.iter().find(|(sql, _)| sql.contains("WITH found"));
            let (sql, plan) = by_the_index.expect("a search by the index");
            let index = match app.backend() {
                DbBackend::Postgres => "event_index_terms",
                _ => "VIRTUAL TABLE INDEX",
            };
            assert!(plan.contains(index), "{sql}\n{plan}");
        }
    }
}
