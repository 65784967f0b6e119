//! Approvals and refusals.

use domain::Role;
use serde_json::json;

use super::{STATUSES, create_event_with_status, event_history, patch_event};
use crate::support::TestApp;

#[tokio::test]
async fn only_an_event_in_approval_can_be_decided() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for status in STATUSES {
        for (action, outcome) in [("aprovar", "aprovado"), ("recusar", "recusado")] {
            let (id, revision) = create_event_with_status(&lead, status).await;
            let before = lead.load_event(&id).await;
            let decision = json!({ "event_id": id, "action": action });
            let answer = lead.post("/api/aprovar", decision).await;
            if status == "em aprovação" {
                let answer = answer.expect(200).body;
                assert_eq!(answer["status"], outcome);
                assert_eq!(answer["api_revision"], revision + 1);
            } else if status == outcome {
                assert_eq!(answer.expect(200).body["api_revision"], revision);
                assert_eq!(lead.load_event(&id).await, before, "{action} again");
            } else {
                let answer = answer.expect_refusal(409, "EVENT_NOT_PENDING");
                assert_eq!(answer.body["details"]["status"], status);
                let next = answer.body["details"]["next"].as_str().unwrap_or_default();
                assert_eq!(
                    next.contains("reopen_event"),
                    status == "aprovado",
                    "{next}"
                );
                assert_eq!(lead.load_event(&id).await, before, "{action} in {status}");
            }
        }
    }
}

#[tokio::test]
async fn an_approval_may_change_date_and_caption() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = create_event_with_status(&lead, "em aprovação").await;
    let decision = json!({
        "event_id": id, "action": "aprovar", "caption": "Final", "day": 30, "month": 8,
        "hour": "18:00",
    });
    let decided = lead
        .post("/api/aprovar", decision.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(decided["due_at"], "2026-08-30T21:00:00.000Z");
    let event = lead.load_event(&id).await;
    assert_eq!(
        (&event["description"], &event["day"]),
        (&json!("Final"), &json!(30))
    );

    // Repeating the decision with the same content is a no-op; with other content it is a conflict.
    let again = lead.post("/api/aprovar", decision).await.expect(200).body;
    assert_eq!(again, decided);
    for other in [
        json!({ "caption": "Outra" }),
        json!({ "day": 31, "month": 8 }),
    ] {
        let mut decision = other;
        decision["event_id"] = id.as_str().into();
        decision["action"] = "aprovar".into();
        lead.post("/api/aprovar", decision)
            .await
            .expect_refusal(409, "EVENT_NOT_PENDING");
    }
    assert_eq!(event_history(&lead, &id).await.len(), 3);
    assert_eq!(lead.load_event(&id).await, event);
}

#[tokio::test]
async fn a_refusal_keeps_the_content_and_says_why() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, _) = create_event_with_status(&lead, "em aprovação").await;
    let refuse = |reason: &str| {
        json!({
            "event_id": id, "action": "recusar", "motivo": reason, "caption": "Trocada",
            "day": 30, "month": 8,
        })
    };
    let refused = lead
        .post("/api/aprovar", refuse("Falta a fonte"))
        .await
        .expect(200)
        .body;
    assert_eq!(refused["status"], "recusado");
    let event = lead.load_event(&id).await;
    assert_eq!(
        (&event["description"], &event["day"]),
        (&json!("Original"), &json!(24))
    );
    let line = event_history(&lead, &id).await.remove(0);
    assert_eq!(line["reason"], "Falta a fonte");
    assert_eq!(
        line["changes"],
        json!({ "status": { "before": "em aprovação", "after": "recusado" } })
    );

    let again = lead
        .post("/api/aprovar", refuse("Outro motivo"))
        .await
        .expect(200)
        .body;
    assert_eq!(again, refused);
    let lines = event_history(&lead, &id).await;
    assert_eq!(
        (lines.len(), &lines[0]["reason"]),
        (3, &json!("Falta a fonte"))
    );
}

#[tokio::test]
async fn a_decision_can_be_bound_to_the_revision_that_was_read() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "em aprovação").await;
    let moved = patch_event(&lead, &id, revision, json!({ "day": 25, "month": 8 }))
        .await
        .expect(200)
        .body;
    let decide = |revision: i64| json!({ "event_id": id, "action": "aprovar", "expected_revision": revision });
    let stale = lead
        .post("/api/aprovar", decide(revision))
        .await
        .expect_refusal(409, "STALE_REVISION");
    assert_eq!(stale.body["details"]["current"], moved["api_revision"]);
    lead.post("/api/aprovar", decide(revision + 1))
        .await
        .expect(200);
    // Repeating the call is a no-op, although the revision has changed since.
    lead.post("/api/aprovar", decide(revision + 1))
        .await
        .expect(200);
}
