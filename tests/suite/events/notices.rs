//! Notices in successful answers, the details of stale refusals, and the withdrawal of submissions.

use domain::{Capability, Role};
use serde_json::{Value, json};

use super::{create_event_with_status, patch_event};
use crate::support::TestApp;

#[tokio::test]
async fn every_operation_completes_a_date_without_a_year_to_the_next_such_date() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let dates = [(5, 1, 2027), (21, 8, 2027), (22, 8, 2026), (24, 12, 2026)];
    for (day, month, year) in dates {
        let date = json!({ "day": day, "month": month });
        let due = format!("{year}-{month:02}-{day:02}T15:00:00.000Z");
        let with = |more: Value| {
            let mut input = date.clone();
            let more = more.as_object().expect("an object").clone();
            input.as_object_mut().expect("an object").extend(more);
            input
        };
        let demand = with(json!({ "title": "Festa" }));
        let created = lead.post("/api/demanda", demand).await.expect(200).body;
        assert_eq!(created["due_at"], due);
        assert_eq!(created.get("avisos"), None);
        let id = lead.create_demand(json!({})).await;
        let moved = patch_event(&lead, &id, 1, date.clone())
            .await
            .expect(200)
            .body;
        assert_eq!(moved["evento"]["due_at"], due);
        let sent = with(json!({ "event_id": id, "expected_revision": 2 }));
        let sent = lead.post("/api/enviar", sent).await.expect(200).body;
        assert_eq!(sent["due_at"], due);
        let decision = with(json!({ "event_id": id, "action": "aprovar", "expected_revision": 3 }));
        let decided = lead.post("/api/aprovar", decision).await.expect(200).body;
        assert_eq!(decided["due_at"], due);
    }
}

#[tokio::test]
async fn a_date_in_the_past_is_accepted_with_a_warning() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let agent = app.token_client(&app.add_member(Role::Lider).await).await;
    let past = |mut input: Value| {
        input["day"] = 5.into();
        input["month"] = 1.into();
        input["year"] = 2026.into();
        input
    };
    let told = |body: &Value| {
        assert!(
            body["avisos"][0]
                .as_str()
                .expect("a notice")
                .contains("05/01/2026 12:00"),
            "{body}"
        );
    };
    let demand = past(json!({ "title": "Festa" }));
    let created = lead
        .post("/api/demanda", demand.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(created["due_at"], "2026-01-05T15:00:00.000Z");
    told(&created);
    told(&agent.call_tool("create_demand", demand).await.structured);
    let id = lead.create_demand(json!({})).await;
    told(
        &patch_event(&lead, &id, 1, past(json!({})))
            .await
            .expect(200)
            .body,
    );
    let sent = past(json!({ "event_id": id, "expected_revision": 2 }));
    told(&lead.post("/api/enviar", sent).await.expect(200).body);
    let decision = past(json!({ "event_id": id, "action": "aprovar", "expected_revision": 3 }));
    told(&lead.post("/api/aprovar", decision).await.expect(200).body);
}

#[tokio::test]
async fn a_moved_event_keeps_its_hour() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead
        .create_demand(json!({ "day": 24, "month": 8, "hour": "18:30" }))
        .await;
    let moved = json!({ "day": 25, "month": 8 });
    let moved = patch_event(&lead, &id, 1, moved).await.expect(200).body;
    assert_eq!(moved["evento"]["due_at"], "2026-08-25T21:30:00.000Z");
    let undated = lead.create_demand(json!({})).await;
    let moved = json!({ "day": 25, "month": 8 });
    let moved = patch_event(&lead, &undated, 1, moved)
        .await
        .expect(200)
        .body;
    assert_eq!(moved["evento"]["hour"], "12:00");
}

#[tokio::test]
async fn a_decision_without_a_revision_lists_the_edits_after_the_submission() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let editor = app.add_member(Role::Lider).await;
    let (id, _) = create_event_with_status(&lead, "em aprovação").await;
    let rename = json!({ "title": "Outro", "day": 30, "month": 8 });
    let desk = app.session_client(&editor).await;
    patch_event(&desk, &id, 2, rename).await.expect(200);
    let decision = json!({ "event_id": id, "action": "aprovar" });
    let decided = lead
        .post("/api/aprovar", decision.clone())
        .await
        .expect(200)
        .body;
    let told = decided["avisos"][0].as_str().expect("a notice");
    for part in [
        editor.name.as_str(),
        "`due_at`",
        "`title`",
        "22/08/2026 12:00",
        "get_event",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }

    // There is no notice if nothing was edited, or if the decision names the current revision.
    let (id, _) = create_event_with_status(&lead, "em aprovação").await;
    let decision = json!({ "event_id": id, "action": "aprovar", "caption": "Escrita" });
    let decided = lead
        .post("/api/aprovar", decision.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(decided.get("avisos"), None);
    let (id, _) = create_event_with_status(&lead, "em aprovação").await;
    patch_event(&desk, &id, 2, json!({ "title": "Outro" }))
        .await
        .expect(200);
    let mut decision = decision;
    decision["event_id"] = id.into();
    decision["expected_revision"] = 3.into();
    let decided = lead.post("/api/aprovar", decision).await.expect(200).body;
    assert_eq!(decided.get("avisos"), None);
}

#[tokio::test]
async fn the_refusal_of_a_stale_write_names_the_author_the_changes_and_the_next_read() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let editor = app.add_member(Role::Lider).await;
    let (id, _) = create_event_with_status(&lead, "a fazer").await;
    let desk = app.session_client(&editor).await;
    for (revision, title) in [(1, "Um segredo"), (2, "Dois")] {
        patch_event(&desk, &id, revision, json!({ "title": title }))
            .await
            .expect(200);
    }
    let change = |revision: i64| json!({ "event_id": id, "expected_revision": revision });
    let calls = [("/api/draft", change(1)), ("/api/enviar", change(1))];
    for (path, input) in calls {
        let stale = lead
            .post(path, input)
            .await
            .expect_refusal(409, "STALE_REVISION");
        let details = &stale.body["details"];
        assert_eq!(details["current"], 3);
        let since = details["since"].as_array().expect("a list");
        assert_eq!(since.len(), 2);
        let first = json!({
            "api_revision": 2, "action": "update_event", "actor_name": editor.name,
            "fields": ["title"], "occurred_at": "2026-08-22T15:00:00.000Z",
        });
        assert_eq!(since[0], first);
        assert!(
            details["next"]
                .as_str()
                .expect("text")
                .contains("`get_event`")
        );
        assert!(!stale.text.contains("segredo"));
    }
    let told = lead.call_tool("save_draft", change(2)).await;
    assert!(
        told.is_error && told.text.contains("`get_event`"),
        "{}",
        told.text
    );
    assert!(
        told.text.contains(&editor.name) && told.text.contains("title"),
        "{}",
        told.text
    );
}

#[tokio::test]
async fn an_event_in_approval_is_archived_only_by_its_submitter_or_an_approver() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let archive = json!({ "status": "arquivado" });
    let member = app.add_member(Role::Lider).await;
    let scopes = [
        Capability::TasksAssign,
        Capability::TasksView,
        Capability::Enviar,
    ];
    let (planner, _) = app.token_client_with(&member, &scopes).await;
    let (id, revision) = create_event_with_status(&lead, "em aprovação").await;
    let refused = patch_event(&planner, &id, revision, archive.clone()).await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    assert_eq!(refused.body["details"]["capability"], "approve");
    assert_eq!(lead.load_event(&id).await["status"], "em aprovação");
    patch_event(&lead, &id, revision, archive.clone())
        .await
        .expect(200);

    let own = lead.create_demand(json!({})).await;
    let sent = json!({ "event_id": own, "expected_revision": 1 });
    planner.post("/api/enviar", sent).await.expect(200);
    patch_event(&planner, &own, 2, archive.clone())
        .await
        .expect(200);

    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    patch_event(&planner, &id, revision, archive)
        .await
        .expect(200);
}

#[tokio::test]
async fn the_answer_contains_what_was_saved() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({ "day": 24, "month": 8 })).await;
    let due = "2026-08-24T15:00:00.000Z";
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Um" });
    let saved = lead.post("/api/draft", draft).await.expect(200).body;
    assert_eq!(
        (&saved["description"], &saved["due_at"]),
        (&json!("Um"), &json!(due))
    );
    let sent = json!({ "event_id": id, "expected_revision": 2, "caption": "Dois" });
    let sent = lead.post("/api/enviar", sent).await.expect(200).body;
    assert_eq!(
        (&sent["description"], &sent["due_at"]),
        (&json!("Dois"), &json!(due))
    );
    let decision = json!({ "event_id": id, "action": "aprovar", "caption": "Três" });
    let decided = lead.post("/api/aprovar", decision).await.expect(200).body;
    assert_eq!(
        (&decided["description"], &decided["due_at"]),
        (&json!("Três"), &json!(due))
    );
}

#[tokio::test]
async fn a_submission_without_media_gets_a_warning_if_the_channel_needs_media() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (channel, told) in [("Instagram", true), ("newsletter", false)] {
        let id = lead.create_demand(json!({ "channel": channel })).await;
        let sent = json!({ "event_id": id, "expected_revision": 1 });
        let sent = lead.post("/api/enviar", sent).await.expect(200).body;
        let notice = sent["avisos"][0]
            .as_str()
            .is_some_and(|text| text.contains("mídia"));
        assert_eq!(notice, told, "{channel}: {sent}");
        assert_eq!(sent["status"], "em aprovação");
    }
}
