//! Drafts and submissions.

use domain::Role;
use serde_json::json;

use super::{EDITABLE, STATUSES, create_event_with_status, event_history, patch_event};
use crate::support::TestApp;

#[tokio::test]
async fn a_stale_revision_is_refused_and_nothing_changes() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "em progresso").await;
    let before = lead.load_event(&id).await;
    for stale in [0, revision - 1, revision + 1, 9_007_199_254_740_991] {
        let own = json!({ "event_id": id, "expected_revision": stale, "caption": "x" });
        let mut decision = own.clone();
        decision["action"] = "aprovar".into();
        let answers = [
            lead.post("/api/draft", own.clone()).await,
            lead.post("/api/enviar", own).await,
            lead.post("/api/aprovar", decision).await,
            patch_event(&lead, &id, stale, json!({ "title": "x" })).await,
        ];
        for answer in answers {
            let answer = answer.expect_refusal(409, "STALE_REVISION");
            assert_eq!(answer.body["details"]["current"], revision);
            assert!(answer.body["details"]["next"].is_string());
        }
        let tool = lead
            .call_tool(
                "save_draft",
                json!({ "event_id": id, "expected_revision": stale }),
            )
            .await;
        let told = format!("Detalhes: {{\"current\":{revision},");
        assert!(tool.text.starts_with("STALE_REVISION") && tool.text.contains(&told));
    }
    assert_eq!(lead.load_event(&id).await, before);
    assert_eq!(event_history(&lead, &id).await.len(), 2);
}

#[tokio::test]
async fn a_draft_and_a_submission_need_an_editable_event() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for status in STATUSES {
        for (path, next) in [
            ("/api/draft", "em progresso"),
            ("/api/enviar", "em aprovação"),
        ] {
            let (id, revision) = create_event_with_status(&lead, status).await;
            let before = lead.load_event(&id).await;
            let input = json!({ "event_id": id, "expected_revision": revision, "caption": "Nova" });
            let answer = lead.post(path, input).await;
            if EDITABLE.contains(&status) {
                let answer = answer.expect(200).body;
                assert_eq!(answer["status"], next);
                assert_eq!(answer["api_revision"], revision + 1);
                assert_eq!(lead.load_event(&id).await["description"], "Nova");
            } else {
                let answer = answer.expect_refusal(409, "EVENT_NOT_EDITABLE");
                assert_eq!(answer.body["details"]["status"], status);
                assert_eq!(lead.load_event(&id).await, before, "{path} in {status}");
            }
        }
    }
}

#[tokio::test]
async fn a_draft_can_set_only_the_statuses_of_work_in_progress() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = create_event_with_status(&lead, "a fazer").await;
    let draft = |status: &str, revision: i64| json!({ "event_id": id, "expected_revision": revision, "status": status });
    for status in STATUSES
        .iter()
        .skip(3)
        .chain(&["", "EM PROGRESSO", "em progresso ", "pronto"])
    {
        assert_eq!(
            lead.post("/api/draft", draft(status, 1))
                .await
                .invalid_fields(),
            ["status"]
        );
    }
    for (revision, status) in (1i64..).zip(["processing", "a fazer", "em progresso", "processing"])
    {
        let saved = lead
            .post("/api/draft", draft(status, revision))
            .await
            .expect(200)
            .body;
        assert_eq!(saved["status"], status);
    }
    assert_eq!(lead.load_event(&id).await["description"], "Original");
}

#[tokio::test]
async fn an_empty_caption_erases_the_stored_one_and_an_absent_one_keeps_it() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = create_event_with_status(&lead, "a fazer").await;
    let keep = json!({ "event_id": id, "expected_revision": 1 });
    lead.post("/api/draft", keep).await.expect(200);
    assert_eq!(lead.load_event(&id).await["description"], "Original");
    let erase = json!({ "event_id": id, "expected_revision": 2, "caption": "" });
    lead.post("/api/draft", erase).await.expect(200);
    let event = lead.load_event(&id).await;
    assert_eq!(
        (&event["description"], &event["briefing"]),
        (&json!(""), &json!("Original"))
    );
}

#[tokio::test]
async fn a_submission_proposes_a_date_and_keeps_the_other_fields() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = create_event_with_status(&lead, "a fazer").await;
    let plain = json!({ "event_id": id, "expected_revision": 1 });
    let sent = lead.post("/api/enviar", plain).await.expect(200).body;
    assert_eq!(sent["due_at"], "2026-08-24T15:00:00.000Z");
    assert_eq!(sent["due_at"], sent["proposto"]);

    let (id, _) = create_event_with_status(&lead, "a fazer").await;
    let dated = json!({
        "event_id": id, "expected_revision": 1, "day": 1, "month": 9, "hour": "08:05",
        "tipo": "reel",
    });
    let sent = lead.post("/api/enviar", dated).await.expect(200).body;
    assert_eq!(sent["proposto"], "2026-09-01T11:05:00.000Z");
    let event = lead.load_event(&id).await;
    assert_eq!(
        (&event["day"], &event["month"], &event["hour"]),
        (&json!(1), &json!(9), &json!("08:05"))
    );
    assert_eq!(
        (&event["editorial_tag"], &event["description"]),
        (&json!("reel"), &json!("Original"))
    );

    let undated = lead.create_demand(json!({})).await;
    let input = json!({ "event_id": undated, "expected_revision": 1 });
    let sent = lead.post("/api/enviar", input).await.expect(200).body;
    assert_eq!(
        (&sent["due_at"], &sent["proposto"]),
        (&json!(null), &json!(null))
    );
}

#[tokio::test]
async fn a_stale_edit_of_an_uneditable_event_gets_both_reasons() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    let stale = json!({ "event_id": id, "expected_revision": 1, "caption": "x" });
    let media = json!({ "expected_revision": 1, "detach": [id] });
    let answers = [
        lead.post("/api/draft", stale.clone()).await,
        lead.post("/api/enviar", stale).await,
        lead.patch(&format!("/api/eventos/{id}/media"), media).await,
    ];
    for answer in answers {
        let refused = answer.expect_refusal(409, "STALE_REVISION");
        let details = &refused.body["details"];
        assert_eq!(
            (&details["current"], &details["status"]),
            (&json!(revision), &json!("aprovado"))
        );
        let next = details["next"].as_str().expect("a step");
        assert!(next.contains("reopen_event"), "{next}");
    }
}

#[tokio::test]
async fn a_flag_marks_a_description_that_is_still_the_briefing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead
        .create_demand(json!({ "description": "Oito ideias" }))
        .await;
    let new = lead.load_event(&id).await;
    // The description of a demand is stored both as its description and as its briefing. Only the
    // flag shows that it is not a caption.
    assert_eq!(
        (&new["description"], &new["briefing"]),
        (&json!("Oito ideias"), &json!("Oito ideias"))
    );
    assert_eq!(new["description_is_briefing"], true);
    let rows = lead.call_tool("list_events", json!({})).await.structured;
    assert_eq!(rows["eventos"][0]["description_is_briefing"], true);
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    let submitted = lead.post("/api/enviar", submit).await.expect(200).body;
    let notices = submitted["avisos"].to_string();
    assert!(notices.contains("é o briefing da demanda"), "{notices}");
    let approve = json!({ "event_id": id, "expected_revision": 2, "action": "aprovar" });
    let key = lead.with_idempotency_key("aprova-uma-vez");
    let approved = key.post("/api/aprovar", approve).await.expect(200).body;
    let notices = approved["avisos"].to_string();
    assert!(
        notices.contains("a que foi aprovada é o briefing"),
        "{notices}"
    );
    let reopen = json!({ "expected_revision": 3, "motivo": "Falta a legenda" });
    let path = format!("/api/eventos/{id}/reabrir");
    lead.post(&path, reopen).await.expect(200);
    let draft = json!({ "event_id": id, "expected_revision": 4, "caption": "Escrita" });
    lead.post("/api/draft", draft).await.expect(200);
    let written = lead.load_event(&id).await;
    assert_eq!(
        (&written["description"], &written["briefing"]),
        (&json!("Escrita"), &json!("Oito ideias"))
    );
    assert_eq!(written.get("description_is_briefing"), None);
    let submit = json!({ "event_id": id, "expected_revision": 5 });
    let submitted = lead.post("/api/enviar", submit).await.expect(200).body;
    assert!(!submitted["avisos"].to_string().contains("briefing"));
    let approve = json!({ "event_id": id, "expected_revision": 6, "action": "aprovar" });
    let approved = lead.post("/api/aprovar", approve).await.expect(200).body;
    assert!(!approved["avisos"].to_string().contains("briefing"));
    // Without a description, there is no text that could be taken for a caption.
    let empty = lead.create_demand(json!({})).await;
    assert_eq!(
        lead.load_event(&empty).await.get("description_is_briefing"),
        None
    );
}
