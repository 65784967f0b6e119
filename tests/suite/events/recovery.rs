//! Every refusal says what to do next.

use domain::{Capability, Role};
use serde_json::{Value, json};

use super::{EDITABLE, STATUSES, create_event_with_status};
use crate::support::TestApp;

#[tokio::test]
async fn a_misnamed_field_is_refused_with_the_right_name() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let own = json!({ "event_id": id, "expected_revision": 1 });
    let update = json!({ "eventId": id, "expected_revision": 1 });
    let demand = json!({ "title": "A" });
    let decision = json!({ "event_id": id, "action": "aprovar" });
    let cases = [
        ("create_demand", &demand, "caption", "`description`"),
        ("create_demand", &demand, "due_at", "`day`, `month`"),
        ("create_demand", &demand, "assignee_ids", "`assignee_id`"),
        ("update_event", &update, "due_at", "`day`, `month`"),
        ("update_event", &update, "caption", "`save_draft`"),
        ("update_event", &update, "status", "`decide_approval`"),
        ("save_draft", &own, "day", "`update_event`"),
        ("save_draft", &own, "status", "`submit_for_approval`"),
        ("decide_approval", &decision, "due_at", "`day`, `month`"),
        ("decide_approval", &decision, "reason", "`motivo`"),
        ("list_events", &json!({}), "assignee", "`assignee_id`"),
    ];
    for (tool, input, field, right) in cases {
        let mut input: Value = input.clone();
        input[field] = "aprovado".into();
        let told = lead.call_tool(tool, input).await;
        assert!(
            told.text.starts_with("INVALID_INPUT"),
            "{tool}.{field}: {}",
            told.text
        );
        assert!(told.text.contains(right), "{tool}.{field}: {}", told.text);
    }
}

#[tokio::test]
async fn misnamed_fields_of_other_areas_are_refused_with_the_right_name_too() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = "0198c0de-0000-7000-8000-000000000000";
    let change = json!({ "projectId": id, "expected_revision": 1, "type": "item.add",
        "payload": { "section_id": id, "title": "A" } });
    let cases = [
        (
            "publish_config_version",
            json!({ "key": "a", "value": 1 }),
            "version",
            "`expected_version`",
        ),
        ("get_config", json!({}), "name", "`key`"),
        (
            "publish_skill_version",
            json!({ "name": "a", "description": "a", "content": "a" }),
            "text",
            "`content`",
        ),
        ("list_skills", json!({}), "q", "`search_knowledge`"),
        (
            "put_email_draft",
            json!({ "templateId": "a", "html": "a" }),
            "subject",
            "`metadata`",
        ),
        (
            "replace_in_email_draft",
            json!({ "templateId": "a", "procurar": "a", "trocar_por": "b", "expected_updated_at": "2026-08-22T15:00:00.000Z" }),
            "html",
            "`put_email_draft`",
        ),
        (
            "delete_email_draft",
            json!({ "templateId": "a", "expected_updated_at": "2026-08-22T15:00:00.000Z" }),
            "expected_revision",
            "`expected_updated_at`",
        ),
        (
            "search_knowledge",
            json!({ "pergunta": "a" }),
            "query",
            "`pergunta`",
        ),
        (
            "apply_project_operation",
            change,
            "operations",
            "`apply_project_operations`",
        ),
        (
            "create_project",
            json!({ "name": "a" }),
            "sections",
            "`apply_project_operations`",
        ),
        (
            "get_project",
            json!({ "projectId": id }),
            "status",
            "`item_status`",
        ),
        (
            "generate_art",
            json!({ "prompt": "a" }),
            "cards",
            "`generate_carousel`",
        ),
        (
            "generate_carousel",
            json!({ "cards": [{ "text": "a" }] }),
            "slides",
            "`cards`",
        ),
        (
            "update_event_media",
            json!({ "eventId": id, "expected_revision": 1 }),
            "slide_index",
            "`order`",
        ),
        ("list_media", json!({}), "kind", "`tipo`"),
        ("list_my_tasks", json!({}), "status", "`list_events`"),
    ];
    for (tool, input, field, right) in cases {
        let mut input: Value = input;
        input[field] = "x".into();
        let told = admin.call_tool(tool, input).await;
        assert!(
            told.text.starts_with("INVALID_INPUT"),
            "{tool}.{field}: {}",
            told.text
        );
        assert!(told.text.contains(right), "{tool}.{field}: {}", told.text);
    }
    let nested = [
        (
            json!({ "projectId": id, "expected_revision": 1, "type": "item.add",
            "payload": { "section_id": id, "title": "A", "due_at": "x" } }),
            "apply_project_operation",
            "`due_on`",
        ),
        (
            json!({ "cards": [{ "text": "a", "title": "b" }] }),
            "generate_carousel",
            "primeira linha",
        ),
    ];
    for (input, tool, right) in nested {
        let told = admin.call_tool(tool, input).await;
        assert!(told.text.contains(right), "{tool}: {}", told.text);
    }
    let by_session = [
        (
            "/api/membros",
            json!({ "name": "A", "email": "a@b.co", "access_level": "lider", "role": "x" }),
            "`access_level`",
        ),
        (
            "/api/access/tokens",
            json!({ "label": "a", "scopes": ["rag"], "capabilities": [] }),
            "`scopes`",
        ),
    ];
    for (path, input, right) in by_session {
        let told = admin.post(path, input).await;
        assert_eq!(told.status, 400, "{}", told.text);
        assert!(told.text.contains(right), "{path}: {}", told.text);
    }
}

#[tokio::test]
async fn an_unknown_field_is_refused_with_the_known_ones() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let told = lead
        .call_tool("list_team", json!({ "cor": 1, "tom": 2 }))
        .await;
    assert_eq!(told.text.matches("`cursor`").count(), 1, "{}", told.text);
    assert!(told.text.contains("`limit`"), "{}", told.text);
}

#[tokio::test]
async fn no_refusal_of_a_tool_names_a_path() {
    for code in tools::error_codes() {
        let told = [Some(code.message()), code.next_step()];
        for text in told.into_iter().flatten() {
            assert!(!text.contains("/api/"), "{}: {text}", code.as_str());
        }
    }
}

#[tokio::test]
async fn missing_capabilities_are_listed_with_the_roles_that_have_them() {
    let app = TestApp::new().await;
    let maker = app.as_member(Role::Criador).await;
    let me = maker.call_tool("get_me", json!({})).await.structured;
    let missing = &me["missing"];
    assert_eq!(missing["approve"], json!(["lider", "admin"]));
    assert_eq!(missing["config"], json!(["admin"]));
    assert_eq!(missing["vendas"], json!(["financeiro"]));
    assert_eq!(missing.get("draft_save"), None);
    let refused = maker.post("/api/aprovar", json!({})).await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    assert_eq!(refused.body["details"]["roles"], json!(["lider", "admin"]));
    assert!(refused.text.contains("`lider`"), "{}", refused.text);
}

#[tokio::test]
async fn errors_describe_date_formats_in_words_and_not_as_patterns() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let hour = json!({ "title": "A", "day": 1, "month": 9, "hour": "9h" });
    let refused = lead.post("/api/demanda", hour).await;
    assert_eq!(refused.invalid_fields(), ["hour"]);
    assert!(refused.text.contains("HH:mm") && !refused.text.contains("[0-9]"));
    let refused = lead.get("/api/eventos?de=01/09/2026").await;
    assert!(refused.text.contains("AAAA-MM-DD"), "{}", refused.text);
}

#[tokio::test]
async fn not_found_errors_name_the_operation_that_lists_the_ids() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let demand = lead.create_demand(json!({})).await;
    let project = lead.post("/api/projects", json!({ "name": "A" })).await;
    let project = project.expect(201).body["project"]["id"].clone();
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
        (
            "generate_art",
            json!({ "prompt": "A", "media_id": "x" }),
            "`list_media`",
        ),
        (
            "update_event_media",
            json!({ "eventId": demand, "expected_revision": 1, "detach": ["x"] }),
            "`get_event`",
        ),
        (
            "apply_project_operation",
            json!({
                "projectId": project, "expected_revision": 1, "type": "item.complete",
                "payload": { "item_id": "x" },
            }),
            "`get_project`",
        ),
    ];
    for (tool, input, list) in cases {
        let told = lead.call_tool(tool, input).await;
        assert!(told.text.starts_with("NOT_FOUND"), "{tool}: {}", told.text);
        assert!(told.text.contains(list), "{tool}: {}", told.text);
    }
}

#[tokio::test]
async fn errors_about_uneditable_events_name_the_next_step() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for status in STATUSES {
        if EDITABLE.contains(&status) {
            continue;
        }
        let (id, revision) = create_event_with_status(&lead, status).await;
        let draft = json!({ "event_id": id, "expected_revision": revision });
        let told = lead.call_tool("save_draft", draft).await;
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
async fn the_error_for_a_missing_capability_names_a_tool_and_the_person_to_inform() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (agent, _) = app.token_client_with(&member, &[Capability::Publish]).await;
    let id = app
        .as_member(Role::Lider)
        .await
        .create_demand(json!({}))
        .await;
    let change = json!({ "eventId": id, "expected_revision": 1, "title": "B" });
    let told = agent.call_tool("update_event", change).await;
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
