//! Updates of events: the fields that may change, the status and the required right.

use domain::{Capability, Role};
use serde_json::{Value, json};

use super::{EDITABLE, STATUSES, create_event_with_status, event_history, patch_event};
use crate::support::{Answer, TestApp};

#[tokio::test]
async fn an_update_sets_only_the_statuses_that_the_current_status_allows() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for from in STATUSES {
        for to in ["arquivado", "a fazer", "publicado"] {
            let (id, revision) = create_event_with_status(&lead, from).await;
            let before = lead.load_event(&id).await;
            let answer = patch_event(&lead, &id, revision, json!({ "status": to })).await;
            let refusal = match (from, to) {
                (_, "arquivado") => None,
                (from, "a fazer") if from == "arquivado" || EDITABLE.contains(&from) => None,
                (_, "a fazer") => Some("EVENT_NOT_EDITABLE"),
                ("aprovado" | "publicado", "publicado") => None,
                _ => Some("NOT_APPROVED"),
            };
            match refusal {
                Some(code) => {
                    let answer = answer.expect_refusal(409, code);
                    assert_eq!(answer.body["details"]["status"], from);
                    assert_eq!(lead.load_event(&id).await, before, "{from} to {to}");
                }
                None => {
                    let answer = answer.expect(200).body;
                    assert_eq!(answer["evento"]["status"], to);
                    let moved = i64::from(from != to);
                    assert_eq!(answer["api_revision"], revision + moved, "{from} to {to}");
                }
            }
        }
    }
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    for status in [
        "em progresso",
        "processing",
        "em aprovação",
        "aprovado",
        "recusado",
        "x",
        "",
    ] {
        let answer = patch_event(&lead, &id, revision, json!({ "status": status })).await;
        assert_eq!(answer.invalid_fields(), ["status"]);
    }
}

#[tokio::test]
async fn a_published_or_archived_event_keeps_its_fields_until_it_is_reopened() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let person = app.add_member(Role::Criador).await;
    let changes = [
        json!({ "title": "Outro" }),
        json!({ "channel": "blog" }),
        json!({ "tipo": "reel" }),
        json!({ "day": 1, "month": 9 }),
        json!({ "assignee_ids": [person.id] }),
    ];
    for status in STATUSES {
        for change in &changes {
            let (id, revision) = create_event_with_status(&lead, status).await;
            let before = lead.load_event(&id).await;
            let answer = patch_event(&lead, &id, revision, change.clone()).await;
            if matches!(status, "publicado" | "arquivado") {
                answer.expect_refusal(409, "EVENT_NOT_EDITABLE");
                assert_eq!(lead.load_event(&id).await, before, "{change} in {status}");
            } else {
                assert_eq!(answer.expect(200).body["evento"]["status"], status);
            }
        }
    }
    let (id, revision) = create_event_with_status(&lead, "arquivado").await;
    let reopened = patch_event(
        &lead,
        &id,
        revision,
        json!({ "title": "De volta", "status": "a fazer" }),
    );
    let event = reopened.await.expect(200).body["evento"].clone();
    assert_eq!(
        (&event["title"], &event["status"]),
        (&json!("De volta"), &json!("a fazer"))
    );

    let (id, revision) = create_event_with_status(&lead, "publicado").await;
    let both = json!({ "title": "Outro", "status": "arquivado" });
    patch_event(&lead, &id, revision, both)
        .await
        .expect_refusal(409, "EVENT_NOT_EDITABLE");
}

#[tokio::test]
async fn a_reopened_archived_event_goes_through_the_whole_workflow_again() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "publicado").await;
    patch_event(&lead, &id, revision, json!({ "status": "arquivado" }))
        .await
        .expect(200);
    let draft = |revision: i64| json!({ "event_id": id, "expected_revision": revision });
    lead.post("/api/draft", draft(revision + 1))
        .await
        .expect_refusal(409, "EVENT_NOT_EDITABLE");
    patch_event(&lead, &id, revision + 1, json!({ "status": "a fazer" }))
        .await
        .expect(200);
    lead.post("/api/draft", draft(revision + 2))
        .await
        .expect(200);
    patch_event(&lead, &id, revision + 3, json!({ "status": "publicado" }))
        .await
        .expect_refusal(409, "NOT_APPROVED");
}

#[tokio::test]
async fn an_update_without_a_change_keeps_the_revision() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let person = app.add_member(Role::Criador).await;
    let id = lead
        .create_demand(json!({ "assignee_id": person.id, "day": 24, "month": 8 }))
        .await;
    let before = lead.load_event(&id).await;
    app.advance_clock(1000);
    for same in [
        json!({}),
        json!({ "title": "Festa junina" }),
        json!({ "channel": "instagram", "day": 24, "month": 8, "year": 2026, "hour": "12:00" }),
        json!({ "assignee_ids": [person.id], "status": "a fazer" }),
    ] {
        let answer = patch_event(&lead, &id, 1, same).await.expect(200).body;
        assert_eq!(answer["api_revision"], 1);
    }
    assert_eq!(lead.load_event(&id).await, before);
    assert_eq!(event_history(&lead, &id).await.len(), 1);
}

#[tokio::test]
async fn an_update_writes_the_given_fields_and_records_old_and_new_values() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (ana, bia) = (
        app.add_member(Role::Criador).await,
        app.add_member(Role::Criador).await,
    );
    let (id, revision) = create_event_with_status(&lead, "em aprovação").await;
    let change = json!({
        "title": "Novo", "channel": "blog", "tipo": "reel", "day": 1, "month": 9,
        "assignee_ids": [bia.id, ana.id],
    });
    let event = patch_event(&lead, &id, revision, change)
        .await
        .expect(200)
        .body["evento"]
        .clone();
    assert_eq!(event["assignee_member_ids"], json!([bia.id, ana.id]));
    assert_eq!(event["assignees_names"], json!([bia.name, ana.name]));
    assert_eq!(event, lead.load_event(&id).await);
    assert_eq!(
        event_history(&lead, &id).await[0]["changes"],
        json!({
            "title": { "before": "Festa junina", "after": "Novo" },
            "channel": { "before": "instagram", "after": "blog" },
            "editorial_tag": { "before": null, "after": "reel" },
            "due_at": {
                "before": "2026-08-24T15:00:00.000Z", "after": "2026-09-01T15:00:00.000Z",
            },
            "assignee_member_ids": { "before": [], "after": [bia.id, ana.id] },
        })
    );
    let swapped = json!({ "assignee_ids": [ana.id, bia.id] });
    let event = patch_event(&lead, &id, revision + 1, swapped)
        .await
        .expect(200)
        .body["evento"]
        .clone();
    assert_eq!(event["assignee_member_ids"], json!([ana.id, bia.id]));
    let emptied = patch_event(&lead, &id, revision + 2, json!({ "assignee_ids": [] }))
        .await
        .expect(200);
    assert_eq!(emptied.body["evento"]["assignee_member_ids"], json!([]));
}

#[tokio::test]
async fn assignees_are_active_members_each_once_and_at_most_20() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin.create_demand(json!({})).await;
    let mut people = vec![];
    for _ in 0..21 {
        people.push(app.add_member(Role::Criador).await.id);
    }
    let assign = |ids: Value| json!({ "assignee_ids": ids });
    let too_many = patch_event(&admin, &id, 1, assign(json!(people))).await;
    assert_eq!(too_many.invalid_fields(), ["assignee_ids"]);
    // A repeated assignee is refused, even if one of the ids is in upper case.
    for twice in [people[0].clone().into(), people[0].as_str().to_uppercase()] {
        let answer =
            patch_event(&admin, &id, 1, assign(json!([people[0], people[1], twice]))).await;
        assert_eq!(answer.invalid_fields(), ["assignee_ids"], "{twice}");
    }
    for nobody in ["0198c0de-0000-7000-8000-000000000000", "ninguém"] {
        patch_event(&admin, &id, 1, assign(json!([nobody])))
            .await
            .expect_refusal(404, "NOT_FOUND");
        let demand = json!({ "title": "A", "assignee_id": nobody });
        admin
            .post("/api/demanda", demand)
            .await
            .expect_refusal(404, "NOT_FOUND");
    }
    let twenty = patch_event(&admin, &id, 1, assign(json!(people[..20])))
        .await
        .expect(200)
        .body;
    assert_eq!(twenty["evento"]["assignee_member_ids"], json!(people[..20]));

    admin
        .delete(&format!("/api/membros/{}", people[20]))
        .await
        .expect(200);
    let gone = patch_event(&admin, &id, 2, assign(json!([people[20]]))).await;
    gone.expect_refusal(404, "NOT_FOUND");
    let demand = json!({ "title": "A", "assignee_id": people[20] });
    admin
        .post("/api/demanda", demand)
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_update_needs_the_capability_for_the_fields_that_it_changes() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let view = Capability::TasksView;
    let publisher = app
        .token_client_with(&member, &[Capability::Publish, view])
        .await
        .0;
    let planner = app
        .token_client_with(&member, &[Capability::TasksAssign, view])
        .await
        .0;
    let reader = app.token_client_with(&member, &[view]).await.0;
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    let lacks = |answer: Answer, capability: &str| {
        let answer = answer.expect_refusal(403, "CAPABILITY_REQUIRED");
        assert_eq!(answer.body["details"]["capability"], capability);
    };
    let publish = || json!({ "status": "publicado" });
    lacks(
        patch_event(&planner, &id, revision, publish()).await,
        "publish",
    );
    for edit in [
        json!({ "title": "x" }),
        json!({ "channel": "x" }),
        json!({ "tipo": "x" }),
        json!({ "day": 1, "month": 9 }),
        json!({ "assignee_ids": [] }),
        json!({ "status": "arquivado" }),
        json!({ "status": "a fazer" }),
        json!({ "status": "publicado", "title": "x" }),
    ] {
        lacks(
            patch_event(&publisher, &id, revision, edit).await,
            "tasks_assign",
        );
    }
    let tool = json!({ "eventId": id, "expected_revision": revision, "title": "x" });
    let answer = publisher.call_tool("update_event", tool).await;
    assert!(
        answer.text.starts_with("CAPABILITY_REQUIRED"),
        "{}",
        answer.text
    );
    lacks(
        patch_event(&reader, &id, revision, json!({})).await,
        "tasks_assign",
    );
    assert_eq!(lead.load_event(&id).await["api_revision"], revision);

    patch_event(&planner, &id, revision, json!({ "title": "x" }))
        .await
        .expect(200);
    patch_event(&publisher, &id, revision + 1, publish())
        .await
        .expect(200);
    assert_eq!(lead.load_event(&id).await["status"], "publicado");
}

#[tokio::test]
async fn an_update_may_remove_or_set_the_date_but_not_both() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    let both = json!({ "sem_data": true, "day": 25, "month": 8 });
    let refused = patch_event(&lead, &id, revision, both)
        .await
        .expect_refusal(400, "INVALID_INPUT");
    assert_eq!(refused.invalid_fields(), ["sem_data"]);
    let undated = patch_event(&lead, &id, revision, json!({ "sem_data": true }))
        .await
        .expect(200);
    assert_eq!(undated.body["evento"]["due_at"], Value::Null);
    assert_eq!(undated.body["evento"]["status"], "aprovado");
    // Removing the date of an undated event succeeds.
    let again = patch_event(&lead, &id, revision + 1, json!({ "sem_data": true }))
        .await
        .expect(200);
    assert_eq!(again.body["api_revision"], revision + 1);
    let last = event_history(&lead, &id).await;
    assert_eq!(last[0]["changes"]["due_at"]["after"], Value::Null);
    let (id, revision) = create_event_with_status(&lead, "publicado").await;
    patch_event(&lead, &id, revision, json!({ "sem_data": true }))
        .await
        .expect_refusal(409, "EVENT_NOT_EDITABLE");
    let author = app.as_member(Role::Criador).await;
    patch_event(&author, &id, revision, json!({ "sem_data": true }))
        .await
        .expect(403);
}
