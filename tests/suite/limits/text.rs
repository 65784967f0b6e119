//! Operations return text exactly as it was sent.

use domain::Role;
use serde_json::{Value, json};

use super::TEXTS;
use crate::support::TestApp;

#[tokio::test]
async fn every_operation_returns_text_byte_for_byte() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.add_member(Role::Criador).await;
    let agent = app.token_client(&author).await;
    for text in TEXTS {
        let demand = json!({
            "title": text, "channel": text, "description": text, "tipo": text,
            "assignee_id": author.id,
        });
        let created = lead.post("/api/demanda", demand).await.expect(200).body;
        let id = created["event_id"].as_str().expect("an id");
        let same = |event: &Value, place: &str| {
            for field in ["title", "description", "briefing", "editorial_tag"] {
                assert_eq!(event[field], text, "{field} in {place}");
            }
        };
        same(&created["event"], "the answer");
        same(&lead.load_event(id).await, "the event");
        let listed = agent.get("/api/tarefas").await.expect(200).body;
        let tasks = listed["tarefas"].as_array().expect("a list");
        let task = tasks
            .iter()
            .find(|task| task["id"] == id)
            .expect("the task");
        same(task, "the tasks");

        let marked = format!("{text}|");
        let draft = json!({ "event_id": id, "expected_revision": 1, "caption": marked });
        assert!(!agent.call_tool("save_draft", draft).await.is_error);
        let sent = json!({ "event_id": id, "expected_revision": 2 });
        agent.post("/api/enviar", sent).await.expect(200);
        let refused = json!({ "event_id": id, "action": "recusar", "motivo": text });
        lead.post("/api/aprovar", refused).await.expect(200);
        let event = lead
            .get(&format!("/api/eventos/{id}"))
            .await
            .expect(200)
            .body;
        assert_eq!(event["historico"][0]["reason"], text);
        let change = &event["historico"][2]["changes"]["description"];
        assert_eq!(
            (&change["before"], &change["after"]),
            (&json!(text), &json!(marked))
        );
    }
}
