//! Withdrawn submissions, reopened events, and restored captions.

use domain::{Capability, Role};
use serde_json::json;

use super::{EDITABLE, STATUSES, create_event_with_status, event_history};
use crate::support::TestApp;

#[tokio::test]
async fn the_submitter_withdraws_an_undecided_event() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.add_member(Role::Criador).await;
    let other = app.add_member(Role::Criador).await;
    let (author, author_id) = (app.session_client(&author).await, author.id);
    let other = (app.session_client(&other).await, other.id);
    let id = lead
        .create_demand(json!({ "description": "Original", "assignee_id": author_id }))
        .await;
    let path = format!("/api/eventos/{id}");
    let both = json!({ "expected_revision": 1, "assignee_ids": [author_id, other.1] });
    lead.patch(&path, both).await.expect(200);
    let submit = json!({ "event_id": id, "expected_revision": 2 });
    author.post("/api/enviar", submit).await.expect(200);

    let reopen = |revision: i64| json!({ "expected_revision": revision });
    let path = format!("{path}/reabrir");
    let refused = other.0.post(&path, reopen(3)).await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    assert_eq!(refused.body["details"]["capability"], "approve");
    author
        .post(&path, reopen(2))
        .await
        .expect_refusal(409, "STALE_REVISION");
    let answer = author.post(&path, reopen(3)).await.expect(200).body;
    let expected = json!({ "ok": true, "status": "em progresso", "api_revision": 4 });
    assert_eq!(answer, expected);
    let line = event_history(&lead, &id).await.remove(0);
    assert_eq!(line["action"], "reopen_event");
    assert_eq!(line["reason"], json!(null));
    assert_eq!(
        line["changes"],
        json!({ "status": { "before": "em aprovação", "after": "em progresso" } })
    );
    let draft = json!({ "event_id": id, "expected_revision": 4, "caption": "Corrigida" });
    author.post("/api/draft", draft).await.expect(200);
}

#[tokio::test]
async fn only_an_approver_reopens_an_approved_event_and_says_why() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    let path = format!("/api/eventos/{id}/reabrir");
    let mut input = json!({ "expected_revision": revision, "motivo": "Falta um acento." });

    let (submitter, _) = app.token_client_with(&member, &[Capability::Enviar]).await;
    let refused = submitter.post(&path, input.clone()).await;
    refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    for reason in [json!(null), json!(""), json!(" \u{200b}")] {
        input["motivo"] = reason;
        let refused = lead.post(&path, input.clone()).await;
        assert_eq!(refused.invalid_fields(), ["motivo"], "{}", refused.text);
    }
    let silent = json!({ "expected_revision": revision });
    assert_eq!(lead.post(&path, silent).await.invalid_fields(), ["motivo"]);
    assert_eq!(lead.load_event(&id).await["status"], "aprovado");

    let (approver, _) = app.token_client_with(&member, &[Capability::Approve]).await;
    input["motivo"] = "Falta um acento.".into();
    let approver = approver.with_idempotency_key("reabrir-0001");
    let answer = approver.post(&path, input.clone()).await;
    let answer = answer.expect(200).body;
    assert_eq!(answer["status"], "em progresso");
    assert_eq!(answer["api_revision"], revision + 1);
    let again = approver.post(&path, input).await.expect(200);
    assert_eq!(again.body, answer);
    let lines = event_history(&lead, &id).await;
    assert_eq!(lines[0]["reason"], "Falta um acento.");
    assert_eq!(lines.len(), 4);
}

#[tokio::test]
async fn only_events_that_await_publication_or_a_decision_are_reopened() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for status in STATUSES {
        let (id, revision) = create_event_with_status(&lead, status).await;
        let input = json!({ "eventId": id, "expected_revision": revision, "motivo": "Erro." });
        let told = lead.call_tool("reopen_event", input).await;
        if ["em aprovação", "aprovado"].contains(&status) {
            assert_eq!(lead.load_event(&id).await["status"], "em progresso");
            continue;
        }
        assert!(told.text.starts_with("EVENT_NOT_EDITABLE"), "{}", told.text);
        let remedy = match status {
            status if EDITABLE.contains(&status) => "`save_draft`",
            _ => "`update_event`",
        };
        assert!(told.text.contains(remedy), "{status}: {}", told.text);
        assert_eq!(lead.load_event(&id).await["status"], status);
    }
    for (status, way) in [("em aprovação", "retira"), ("aprovado", "`motivo`")] {
        let (id, revision) = create_event_with_status(&lead, status).await;
        let draft = json!({ "event_id": id, "expected_revision": revision });
        let told = lead.call_tool("save_draft", draft).await;
        for part in ["`reopen_event`", way] {
            assert!(told.text.contains(part), "{status}: {}", told.text);
        }
    }
}

#[tokio::test]
async fn an_earlier_caption_is_restored_by_its_revision() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({ "description": "Um" })).await;
    let draft = |revision: i64, fields: serde_json::Value| {
        let mut input = fields;
        input["event_id"] = id.as_str().into();
        input["expected_revision"] = revision.into();
        input
    };
    let told = r#"Dois, com "description":{"before":null} dentro"#;
    let rename = json!({ "expected_revision": 1, "title": told });
    let path = format!("/api/eventos/{id}");
    lead.patch(&path, rename).await.expect(200);
    for (revision, caption) in [(2, told), (3, "Três")] {
        let input = draft(revision, json!({ "caption": caption }));
        lead.post("/api/draft", input).await.expect(200);
    }
    // Any revision can be restored, even one that did not change the caption.
    let captions = [(1, "Um"), (2, "Um"), (3, told), (4, "Três"), (1, "Um")];
    for (now, (revision, caption)) in (4..).zip(captions) {
        let input = draft(now, json!({ "caption_revision": revision }));
        let saved = lead.post("/api/draft", input).await.expect(200).body;
        assert_eq!(saved["description"], caption, "revision {revision}");
    }
    for wrong in [
        json!({ "caption_revision": 10 }),
        json!({ "caption_revision": 0 }),
        json!({ "caption_revision": 1, "caption": "Outra" }),
    ] {
        let refused = lead.post("/api/draft", draft(9, wrong)).await;
        assert_eq!(
            refused.invalid_fields(),
            ["caption_revision"],
            "{}",
            refused.text
        );
    }
    assert_eq!(lead.load_event(&id).await["description"], "Um");
}
