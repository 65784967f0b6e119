//! The workflow of an event from demand to approval, over REST and MCP.

use domain::Role;
use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn an_event_goes_from_demand_to_approval() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.add_member(Role::Criador).await;
    let agent = app.token_client(&author).await;

    let demand = json!({
        "title": "Festa junina", "assignee_id": author.id, "day": 24, "month": 8, "year": 2026,
        "hour": "09:30", "description": "Oito ideias de forno", "tipo": "carrossel",
    });
    let created = lead.post("/api/demanda", demand).await.expect(200).body;
    assert_eq!(created["due_at"], "2026-08-24T12:30:00.000Z");
    assert_eq!(created["event"]["status"], "a fazer");
    assert_eq!(created["event"]["channel"], "instagram");
    let id = created["event_id"].clone();

    let tasks = agent.call_tool("list_my_tasks", json!({})).await.structured;
    assert_eq!(tasks["tarefas"][0]["id"], id);

    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Canjica ☕" });
    let saved = agent.call_tool("save_draft", draft).await;
    assert!(!saved.is_error, "{}", saved.text);
    assert_eq!(saved.structured["status"], "em progresso");
    assert_eq!(saved.structured["api_revision"], 2);

    let sent = agent
        .call_tool(
            "submit_for_approval",
            json!({ "event_id": id, "expected_revision": 2 }),
        )
        .await
        .structured;
    assert_eq!(sent["status"], "em aprovação");
    assert_eq!(sent["proposto"], "2026-08-24T12:30:00.000Z");

    let pending = lead.get("/api/aprovacoes").await.expect(200).body;
    assert_eq!(pending["pendentes"][0]["description"], "Canjica ☕");
    assert_eq!(pending["pendentes"][0]["briefing"], "Oito ideias de forno");

    let decision = json!({ "event_id": id, "action": "aprovar", "expected_revision": 3 });
    let decided = lead.post("/api/aprovar", decision).await.expect(200).body;
    assert_eq!(
        (&decided["ok"], &decided["status"]),
        (&json!(true), &json!("aprovado"))
    );

    let path = format!("/api/eventos/{}", id.as_str().expect("an id"));
    let event = lead.get(&path).await.expect(200).body;
    assert_eq!(event["evento"]["api_revision"], 4);
    let actions: Vec<_> = event["historico"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let actions: Vec<_> = actions
        .iter()
        .map(|line| line["action"].as_str().expect("text"))
        .collect();
    assert_eq!(
        actions,
        [
            "decide_approval",
            "submit_for_approval",
            "save_draft",
            "create_demand"
        ]
    );
    assert_eq!(
        event["historico"][0]["changes"]["status"]["before"],
        "em aprovação"
    );
}

#[tokio::test]
async fn an_answer_too_long_for_a_tool_says_that_the_change_took_effect() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let draft = json!({
        "event_id": id, "expected_revision": 1, "caption": "\u{1}".repeat(20_000),
    });
    lead.post("/api/draft", draft).await.expect(200);
    let rename = json!({ "eventId": id, "expected_revision": 2, "title": "Outro título" });
    let told = lead.call_tool("update_event", rename).await;
    assert!(told.is_error && told.structured.is_null());
    for part in ["RESULT_TOO_LARGE: ", "teve efeito", "`get_event`"] {
        assert!(told.text.contains(part), "{}", told.text);
    }
    assert_eq!(lead.load_event(&id).await["title"], "Outro título");
}
