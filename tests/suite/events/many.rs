//! Several demands created by one call.

use domain::Role;
use serde_json::{Value, json};

use crate::support::TestApp;

#[tokio::test]
async fn one_call_creates_several_demands_each_with_its_own_history() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let demands = json!({ "demandas": [
        { "title": "Um", "day": 24, "month": 8, "description": "Primeiro" },
        { "title": "Dois", "channel": "TikTok", "day": 5, "month": 1, "year": 2026 },
    ] });
    let keyed = lead.with_idempotency_key("muitas-de-uma-vez");
    let made = keyed
        .post("/api/demandas", demands.clone())
        .await
        .expect(200);
    let rows = made.body["demandas"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["event"]["briefing"], "Primeiro");
    assert_eq!(rows[0].get("avisos"), None);
    assert!(
        rows[1]["avisos"][0]
            .as_str()
            .expect("a warning")
            .contains("já passou")
    );
    for row in rows {
        let id = row["event_id"].as_str().expect("an id");
        let event = lead
            .get(&format!("/api/eventos/{id}"))
            .await
            .expect(200)
            .body;
        assert_eq!(event["historico"].as_array().map(Vec::len), Some(1));
        assert_eq!(event["historico"][0]["action"], "create_demand");
    }
    let again = keyed.post("/api/demandas", demands).await.expect(200);
    assert_eq!(again.body, made.body);
    let admin = app.as_member(Role::Admin).await;
    let trail = admin.get("/api/access/audit?action=create_demands").await;
    let trail = trail.expect(200).body["audit"].clone();
    assert_eq!(trail.as_array().map(Vec::len), Some(1));
    assert_eq!(trail[0]["resource_id"], rows[0]["event_id"]);
    assert_eq!(
        trail[0]["metadata"]["resource_ids"],
        json!([rows[0]["event_id"], rows[1]["event_id"]])
    );
    assert_eq!(app.count_rows("events").await, 2);
}

#[tokio::test]
async fn a_call_creates_all_of_its_demands_or_none() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let post = |demands: Value| lead.post("/api/demandas", json!({ "demandas": demands }));
    let nobody = "0198c0de-0000-7000-8000-000000000000";
    let refused = post(json!([{ "title": "Um" }, { "title": "Dois", "assignee_id": nobody }]));
    let refused = refused.await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(refused.body["details"]["demanda"], 1);
    let refused = post(json!([{ "title": "Um" }, { "title": "", "caption": "x" }])).await;
    assert_eq!(
        refused.invalid_fields(),
        ["demandas.1.title", "demandas.1.caption"]
    );
    assert!(refused.text.contains("`save_draft`"), "{}", refused.text);
    let refused = post(json!([{ "title": "Um" }, { "title": "Dois", "day": 31, "month": 2 }]));
    assert_eq!(refused.await.status, 400);
    for count in [0, 51] {
        let refused = post(vec![json!({ "title": "Um" }); count].into()).await;
        assert_eq!(refused.invalid_fields(), ["demandas"]);
    }
    assert_eq!(app.count_rows("events").await, 0);
    let many: Vec<_> = (10..60)
        .map(|n| json!({ "title": format!("{n}") }))
        .collect();
    post(many.into()).await.expect(200);
    let listed = lead.get("/api/eventos?limit=200").await.expect(200).body;
    let listed = listed["eventos"].as_array().expect("rows");
    assert_eq!(listed.len(), 50);
    assert!(listed.is_sorted_by_key(|event| event["title"].as_str()));
}

#[tokio::test]
async fn an_agent_gets_a_short_answer_for_many_long_demands() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let demand = json!({ "title": "Longa", "description": "Um pedido. ".repeat(1_000) });
    let asked = json!({ "demandas": vec![demand; 50] });
    let made = lead.call_tool("create_demands", asked).await;
    assert!(!made.is_error, "{}", &made.text[..200]);
    let rows = made.structured["demandas"].as_array().expect("rows");
    assert_eq!(rows.len(), 50);
    assert!(rows[49]["event_id"].is_string());
}
