//! The query plans of the dashboards: they read sums by day or along an index, and never scan a
//! table that grows with sales and visits.

use std::collections::BTreeSet;

use domain::sales::{Dispatch, Purchase};
use sea_orm::DbBackend;
use serde_json::json;
use store::sales::{save_ad_spend, save_dispatches};

use super::{
    approved_purchase, create_launch, derive_person_id, financial_client,
    generate::{Dice, random_ad_spend},
    get, identification_event, instant_millis, record_and_settle, save_and_settle, visit_event,
};
use crate::support::{
    TestApp,
    plans::{scanned_tables, tables_by_alias, trace_queries},
};

/// The dashboards of a launch, as the last segment of the path.
const OF_LAUNCH: [&str; 10] = [
    "resumo",
    "decisao",
    "funil",
    "jornada",
    "midia",
    "origem",
    "disparos",
    "compradores",
    "perfis",
    "saude",
];
const OTHERS: [&str; 7] = [
    "/api/lancamentos",
    "/api/vendas/resumo",
    "/api/vendas/comercial",
    "/api/subs/resumo",
    "/api/subs/saidas",
    "/api/subs/saidas?plano=Mensal&motivo=preco&valor_minimo_centavos=1&valor_maximo_centavos=2",
    "/api/vendas/resumo?inicio=2024-01-01&fim=2026-12-31",
];

/// The table of figures that a dashboard may read completely.
const SMALL: [&str; 1] = ["figure_state"];

/// Requests every dashboard; returns the queries that the service sends.
async fn dashboard_queries(app: &TestApp) -> BTreeSet<String> {
    let client = financial_client(app).await;
    let launch = create_launch(
        app,
        json!({ "produtos": ["p1", "p3"], "campanhas": ["pao*"] }),
    )
    .await;
    let requests = async {
        for panel in OF_LAUNCH {
            get(&client, &format!("/api/lancamentos/{launch}/{panel}")).await;
        }
        for path in OTHERS {
            get(&client, path).await;
        }
    };
    trace_queries(requests).await
}

/// Saves at least one row of each kind, and many purchases of the launch.
async fn save_sample_rows(app: &TestApp) {
    let tx = app.begin().await;
    let spent = random_ad_spend(&mut Dice(1), 400);
    save_ad_spend(&tx.conn(), spent, app.now())
        .await
        .expect("saves");
    let dispatch = Dispatch {
        id: "d1".into(),
        name: "Abertura".into(),
        channel: "email".into(),
        sent_at: instant_millis("2026-08-12T12:00:00Z"),
        sent: 10,
        launch: Some("L".into()),
    };
    save_dispatches(&tx.conn(), vec![dispatch], app.now())
        .await
        .expect("saves");
    tx.commit().await.expect("commits");
    record_and_settle(app, &[visit_event("s1", "2026-08-11T12:00:00Z", json!({}))]).await;
    let bought = Purchase {
        person: Some(derive_person_id(app, "ana")),
        launch: Some("L".into()),
        ..approved_purchase("T1", "2026-08-11T13:00:00Z", 9_900)
    };
    save_and_settle(app, vec![bought]).await;
    let begin = instant_millis("2026-08-10T12:00:00Z");
    let many = format!(
        "INSERT INTO purchases (store, transaction_id, occurred_at, status, person, severed,
            product_id, product, amount_cents, refunded_cents, currency, launch, updated_at, stale)
         WITH RECURSIVE numbers (n) AS (
            SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
         SELECT 'hotmart', 'N' || n, {begin} + n * 60000, 'aprovada', 'p' || (n % 7000), 0,
            'p' || (n % 5), 'Curso', 9900, 0, 'BRL', CASE n % 3 WHEN 0 THEN 'L' END, {begin}, 0
         FROM numbers"
    );
    app.execute_statement(&many, []).await;
    // The service never collects statistics on SQLite, so the test does not either.
    if app.backend() == DbBackend::Postgres {
        app.execute_statement("ANALYZE purchases", []).await;
    }
}

#[tokio::test]
async fn no_dashboard_scans_a_table_that_grows() {
    let app = TestApp::new().await;
    save_sample_rows(&app).await;
    let mut seen = BTreeSet::new();
    for sql in dashboard_queries(&app).await {
        let named = tables_by_alias(&sql);
        let is_dashboard = |table: &String| {
            table.starts_with("figure_")
                || ["purchases", "subscriptions", "ad_spend", "dispatches"]
                    .contains(&table.as_str())
        };
        let of_rows = ["timeline", "email_deliveries", "crm_stages"];
        let reads_rows = |table: &String| of_rows.iter().any(|one| table.starts_with(one));
        assert!(!named.values().any(reads_rows), "{sql}");
        // Every request also runs two other queries, which load the caller and the launch.
        if !named.values().any(is_dashboard) {
            continue;
        }
        let (mut scanned, plan) = scanned_tables(&app, &sql, true).await;
        scanned.retain(|table| is_dashboard(table) && !SMALL.contains(&table.as_str()));
        assert!(scanned.is_empty(), "{scanned:?} in {sql}\n{plan}");
        // A query along an index by day would read the days of all launches.
        for index in ["figure_sales_day", "figure_touches_day", "figure_crm_day"] {
            assert!(!plan.contains(index), "{sql}\n{plan}");
        }
        seen.extend(named.into_values());
    }
    for table in [
        "ad_spend",
        "dispatches",
        "figure_crm",
        "figure_days",
        "figure_dispatches",
        "figure_journey",
        "figure_media",
        "figure_products",
        "figure_sales",
        "figure_sellers",
        "figure_subscriptions",
        "figure_touch_months",
        "figure_touches",
        "purchases",
        "subscriptions",
    ] {
        assert!(seen.contains(table), "{table} in {seen:?}");
    }
}

#[tokio::test]
async fn buyers_are_found_by_the_indexes_of_their_launch_and_of_each_person() {
    let app = TestApp::new().await;
    save_sample_rows(&app).await;
    let client = financial_client(&app).await;
    let launch = create_launch(&app, json!({ "produtos": ["p1", "p3"] })).await;
    let path = format!("/api/lancamentos/{launch}/compradores");
    let filters =
        "produto_id=p1&status=aprovada&valor_minimo_centavos=1&valor_maximo_centavos=99999";
    let mut of_buyers = vec![];
    for path in [path.clone(), format!("{path}?{filters}")] {
        let page = async {
            let page = get(&client, &path).await;
            assert_eq!(
                page["compradores"].as_array().map(Vec::len),
                Some(100),
                "{path}"
            );
        };
        let mut queries = trace_queries(page).await;
        queries.retain(|sql| sql.contains("FROM purchases p"));
        // The three queries find the buyers by code, find them by the two products (with the same
        // SQL), and load the purchases of these buyers.
        assert_eq!(queries.len(), 3, "{queries:?}");
        of_buyers.extend(queries);
    }
    for sql in &of_buyers {
        let (scanned, plan) = scanned_tables(&app, sql, false).await;
        assert!(scanned.is_empty(), "{sql}\n{plan}");
        let is_page = sql.contains("NOT EXISTS");
        let of_launch = if sql.contains("p.launch IS NULL") {
            "purchases_product"
        } else {
            "purchases_launch"
        };
        assert_eq!(plan.contains(of_launch), is_page, "{sql}\n{plan}");
        assert!(plan.contains("purchases_person"), "{sql}\n{plan}");
        // A page that is read in index order stops at its last row.
        let is_sorted = plan.contains("Sort") || plan.contains("TEMP B-TREE FOR ORDER BY");
        assert!(!(is_page && is_sorted), "{sql}\n{plan}");
    }
}

#[tokio::test]
async fn the_events_of_a_person_are_read_only_from_the_months_of_their_sessions() {
    let app = TestApp::new().await;
    record_and_settle(
        &app,
        &[
            visit_event("s1", "2026-08-11T12:00:00Z", json!({})),
            visit_event("s2", "2026-07-11T12:00:00Z", json!({})),
            identification_event("s1", "2026-08-11T12:01:00Z", derive_person_id(&app, "ana")),
        ],
    )
    .await;
    let client = financial_client(&app).await;
    let email = json!({ "email": "ana@exemplo.com.br" });
    let profile = async {
        let profile = client.post("/api/jornada/perfil", email).await;
        assert_eq!(profile.expect(200).body["encontrado"], true);
    };
    let queries = trace_queries(profile).await;
    let of_sessions: Vec<&String> = queries
        .iter()
        .filter(|sql| sql.contains("JOIN timeline_events e"))
        .collect();
    assert_eq!(of_sessions.len(), 3, "{queries:?}");
    for sql in of_sessions {
        let (scanned, plan) = scanned_tables(&app, sql, true).await;
        assert!(scanned.is_empty(), "{sql}\n{plan}");
        if app.backend() == DbBackend::Postgres {
            // The condition on `occurred_at` lets PostgreSQL skip partitions (months) when it runs
            // the query.
            let months = plan.matches("on timeline_events_20").count();
            assert!(months > 1, "{plan}");
            let bounded = plan.matches("(occurred_at >= s.first_at)").count();
            assert_eq!(bounded, months, "{sql}\n{plan}");
        } else {
            assert!(plan.contains("SEARCH e USING PRIMARY KEY"), "{sql}\n{plan}");
        }
    }
}
