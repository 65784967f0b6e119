//! Every refusal says what to do instead.

use domain::{Capability, Role};
use serde_json::{Value, json};

use super::{EDITABLE, STATUSES, event_in};
use crate::support::TestApp;

#[tokio::test]
async fn a_field_of_another_name_or_operation_is_told_the_right_one() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
    let own = json!({ "event_id": id, "expected_revision": 1 });
    let update = json!({ "eventId": id, "expected_revision": 1 });
    let demand = json!({ "title": "A" });
    let decision = json!({ "event_id": id, "action": "aprovar" });
    let cases = [
        ("create_demand", &demand, "caption", "`description`"),
        ("create_demand", &demand, "due_at", "`day`, `month`"),
        ("create_demand", &demand, "assignee_ids", "`assignee_id`"),
        ("update_event", &update, "assignee_id", "`assignee_ids`"),
        ("update_event", &update, "due_at", "`day`, `month`"),
        ("update_event", &update, "caption", "`save_draft`"),
        ("update_event", &update, "status", "`decide_approval`"),
        ("save_draft", &own, "description", "`caption`"),
        ("save_draft", &own, "day", "`update_event`"),
        ("save_draft", &own, "status", "`submit_for_approval`"),
        ("submit_for_approval", &own, "description", "`caption`"),
        ("decide_approval", &decision, "due_at", "`day`, `month`"),
        ("decide_approval", &decision, "reason", "`motivo`"),
        ("list_events", &json!({}), "assignee", "`assignee_id`"),
    ];
    for (tool, input, field, right) in cases {
        let mut input: Value = input.clone();
        input[field] = "aprovado".into();
        let told = lead.call(tool, input).await;
        assert!(
            told.text.starts_with("INVALID_INPUT"),
            "{tool}.{field}: {}",
            told.text
        );
        assert!(told.text.contains(right), "{tool}.{field}: {}", told.text);
    }
}

#[tokio::test]
async fn dates_are_asked_for_in_words_and_not_as_patterns() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let hour = json!({ "title": "A", "day": 1, "month": 9, "hour": "9h" });
    let refused = lead.post("/api/demanda", hour).await;
    assert_eq!(refused.fields(), ["hour"]);
    assert!(refused.text.contains("HH:mm") && !refused.text.contains("[0-9]"));
    let refused = lead.get("/api/eventos?de=01/09/2026").await;
    assert!(refused.text.contains("AAAA-MM-DD"), "{}", refused.text);
}

#[tokio::test]
async fn what_is_not_found_says_where_ids_are_listed() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let cases = [
        (
            "get_event",
            json!({ "eventId": "Festa junina" }),
            "`list_events`",
        ),
        (
            "create_demand",
            json!({ "title": "A", "assignee_id": "Caio" }),
            "`list_team`",
        ),
        (
            "get_project",
            json!({ "projectId": "x" }),
            "`list_projects`",
        ),
        (
            "get_email_draft",
            json!({ "templateId": "x" }),
            "`list_email_drafts`",
        ),
    ];
    for (tool, input, list) in cases {
        let told = lead.call(tool, input).await;
        assert!(told.text.starts_with("NOT_FOUND"), "{tool}: {}", told.text);
        assert!(told.text.contains(list), "{tool}: {}", told.text);
    }
}

#[tokio::test]
async fn what_may_not_be_edited_says_what_can_be_done() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for status in STATUSES {
        if EDITABLE.contains(&status) {
            continue;
        }
        let (id, revision) = event_in(&lead, status).await;
        let draft = json!({ "event_id": id, "expected_revision": revision });
        let told = lead.call("save_draft", draft).await;
        assert!(told.text.starts_with("EVENT_NOT_EDITABLE"), "{}", told.text);
        let remedy = match status {
            "em aprovação" => "`decide_approval`",
            _ => "`update_event`",
        };
        let (_, next) = told
            .text
            .split_once("Próximo passo: ")
            .expect("a next step");
        assert!(next.contains(remedy), "{status}: {next}");
    }
}

#[tokio::test]
async fn a_missing_capability_names_a_tool_and_the_person_to_tell() {
    let app = TestApp::new().await;
    let member = app.member(Role::Lider).await;
    let (agent, _) = app.token_with(&member, &[Capability::Publish]).await;
    let id = app.as_member(Role::Lider).await.demand(json!({})).await;
    let change = json!({ "eventId": id, "expected_revision": 1, "title": "B" });
    let told = agent.call("update_event", change).await;
    assert!(
        told.text.starts_with("CAPABILITY_REQUIRED"),
        "{}",
        told.text
    );
    for part in ["`get_me`", "diga à pessoa", "tasks_assign"] {
        assert!(told.text.contains(part), "{}", told.text);
    }
    assert!(!told.text.contains("/api/"), "{}", told.text);
}
