//! The revision history of an event.

use domain::Role;
use serde_json::{Value, json};

use super::event_history;
use crate::support::TestApp;

#[tokio::test]
async fn a_refused_event_can_be_drafted_again_and_the_history_has_every_step() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.add_member(Role::Criador).await;
    let session = app.session_client(&author).await;
    let id = lead
        .create_demand(json!({ "description": "Pedido", "assignee_id": author.id }))
        .await;
    app.advance_clock(1000);
    let own = |revision: i64, caption: &str| json!({ "event_id": id, "expected_revision": revision, "caption": caption });
    let decide = |action: &str| json!({ "event_id": id, "action": action, "motivo": "Curta" });
    session.post("/api/enviar", own(1, "Um")).await.expect(200);
    lead.post("/api/aprovar", decide("recusar"))
        .await
        .expect(200);
    app.advance_clock(1000);
    session.post("/api/draft", own(3, "Dois")).await.expect(200);
    session
        .post("/api/enviar", own(4, "Três"))
        .await
        .expect(200);
    lead.post("/api/aprovar", decide("aprovar"))
        .await
        .expect(200);

    let event = lead.load_event(&id).await;
    assert_eq!(event["api_revision"], 6);
    assert_eq!(
        (&event["briefing"], &event["description"]),
        (&json!("Pedido"), &json!("Três"))
    );
    let lines = event_history(&lead, &id).await;
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            let field = |name: &str| line["changes"][name]["after"].clone();
            (
                line["action"].as_str().expect("text"),
                field("status"),
                field("description"),
            )
        })
        .collect();
    let none = Value::Null;
    assert_eq!(
        told,
        [
            ("decide_approval", json!("aprovado"), none.clone()),
            ("submit_for_approval", json!("em aprovação"), json!("Três")),
            ("save_draft", json!("em progresso"), json!("Dois")),
            ("decide_approval", json!("recusado"), none.clone()),
            ("submit_for_approval", json!("em aprovação"), json!("Um")),
            ("create_demand", none.clone(), none),
        ]
    );
    let revisions: Vec<_> = lines
        .iter()
        .map(|l| l["api_revision"].as_i64().expect("a revision"))
        .collect();
    assert_eq!(revisions, [6, 5, 4, 3, 2, 1]);
    assert_eq!(lines[1]["actor_member_id"], author.id.as_str());
    assert_eq!(lines[1]["actor_name"], author.name.as_str());
    assert_eq!(lines[1]["occurred_at"], "2026-08-22T15:00:02.000Z");
    assert_eq!(event["updated_at"], "2026-08-22T15:00:02.000Z");
    assert_eq!(event["created_at"], "2026-08-22T15:00:00.000Z");
}

#[tokio::test]
async fn the_history_is_read_in_pages() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    for revision in 1..=6 {
        let draft = json!({ "event_id": id, "expected_revision": revision });
        lead.post("/api/draft", draft).await.expect(200);
    }
    for limit in [1, 2, 3, 7, 8] {
        let (mut revisions, mut cursor) = (vec![], String::new());
        loop {
            let path = format!("/api/eventos/{id}?limit={limit}{cursor}");
            let page = lead.get(&path).await.expect(200).body;
            assert_eq!(page["evento"]["api_revision"], 7);
            let lines = page["historico"].as_array().expect("a list");
            assert!((1..=limit).contains(&lines.len()));
            revisions.extend(
                lines
                    .iter()
                    .map(|line| line["api_revision"].as_i64().expect("a revision")),
            );
            let Some(next) = page["next_cursor"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(revisions, [7, 6, 5, 4, 3, 2, 1], "limit {limit}");
    }
}
