//! The permissions for operations, and the members and items that an operation may name.

use domain::{Capability, Role};
use serde_json::json;

use super::{Desk, NOBODY, string_value};

#[tokio::test]
async fn content_needs_projects_edit_and_the_project_itself_needs_projects_manage() {
    let desk = Desk::new().await;
    let member = desk.app.add_member(Role::Admin).await;
    let (editor, _) = desk
        .app
        .token_client_with(&member, &[Capability::ProjectsEdit])
        .await;
    let (manager, _) = desk
        .app
        .token_client_with(&member, &[Capability::ProjectsManage])
        .await;
    let content = ("section.add", json!({ "title": "A" }));
    let whole = ("project.describe", json!({ "notes": "B" }));
    desk.apply_operation_as(&editor, content.0, content.1.clone())
        .await
        .expect(200);
    desk.apply_operation_as(&manager, whole.0, whole.1.clone())
        .await
        .expect(200);
    for (client, (kind, payload), lacking) in [
        (&editor, whole, "projects_manage"),
        (&manager, content, "projects_edit"),
    ] {
        let refused = desk.apply_operation_as(client, kind, payload.clone()).await;
        let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
        assert_eq!(refused.body["details"]["capability"], lacking);
        let tool = client
            .call_tool(
                "apply_project_operation",
                json!({
                    "projectId": desk.id, "type": kind, "payload": payload, "expected_revision": 0,
                }),
            )
            .await;
        assert!(
            tool.text.starts_with("CAPABILITY_REQUIRED"),
            "{}",
            tool.text
        );
    }
    let creator = desk.app.as_member(Role::Criador).await;
    for kind in ["project.archive", "project.restore"] {
        let refused = desk.apply_operation_as(&creator, kind, json!({})).await;
        refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    }
    creator
        .get(&desk.project_path())
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    creator
        .get(&format!("/api/projects/{}", desk.id))
        .await
        .expect(200);
}

#[tokio::test]
async fn the_audit_trail_names_the_right_that_was_needed() {
    let desk = Desk::new().await;
    let (member, creator) = (
        desk.app.add_member(Role::Lider).await,
        desk.app.add_member(Role::Criador).await,
    );
    let lead = desk.app.session_client(&member).await;
    let creator_session = desk.app.session_client(&creator).await;
    let content = json!({ "title": "A" });
    let whole = json!({ "notes": "B" });
    desk.apply_operation_as(&lead, "section.add", content)
        .await
        .expect(200);
    desk.apply_operation_as(&lead, "project.describe", whole.clone())
        .await
        .expect(200);
    desk.apply_operation_at(&lead, 1, "project.describe", whole.clone())
        .await
        .expect_refusal(409, "STALE_REVISION");
    desk.apply_operation_as(&creator_session, "project.describe", whole)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    let event = lead.create_demand(json!({})).await;
    let publish = json!({ "expected_revision": 1, "status": "publicado" });
    lead.patch(&format!("/api/eventos/{event}"), publish)
        .await
        .expect_refusal(409, "NOT_APPROVED");
    for (member, capability, outcome, action) in [
        (
            &member,
            "projects_edit",
            "succeeded",
            "apply_project_operation",
        ),
        (
            &member,
            "projects_manage",
            "succeeded",
            "apply_project_operation",
        ),
        (
            &member,
            "projects_manage",
            "failed",
            "apply_project_operation",
        ),
        (
            &creator,
            "projects_manage",
            "denied",
            "apply_project_operation",
        ),
        (&member, "publish", "failed", "update_event"),
    ] {
        let rows = format!(
            "audit_events WHERE actor_member_id = '{}' AND action = '{action}' \
                AND capability = '{capability}' AND outcome = '{outcome}'",
            member.id
        );
        assert_eq!(desk.app.count_rows(&rows).await, 1, "{rows}");
    }
}

#[tokio::test]
async fn a_replay_needs_the_right_that_the_operation_needed() {
    let desk = Desk::new().await;
    let admin = desk.app.as_member(Role::Admin).await;
    let member = desk.app.add_member(Role::Lider).await;
    let session = desk
        .app
        .session_client(&member)
        .await
        .with_idempotency_key("chave-0001");
    let input = json!({
        "type": "project.describe", "payload": { "notes": "x" }, "expected_revision": 1,
    });
    let first = session
        .post(&desk.project_path(), input.clone())
        .await
        .expect(200);
    let again = session
        .post(&desk.project_path(), input.clone())
        .await
        .expect(200);
    assert_eq!(
        (
            &again.text,
            again.headers["idempotency-replayed"].to_str().ok()
        ),
        (&first.text, Some("true"))
    );
    let other = json!({
        "type": "project.describe", "payload": { "notes": "y" }, "expected_revision": 1,
    });
    session
        .post(&desk.project_path(), other)
        .await
        .expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
    let lower = json!({ "member_id": member.id, "access_level": "criador" });
    admin.patch("/api/membros", lower).await.expect(200);
    session
        .post(&desk.project_path(), input)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    assert_eq!(desk.load_stored_project().await.revision.get(), 2);
}

#[tokio::test]
async fn an_operation_may_name_only_existing_resources() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    let before = desk.load_stored_project().await;
    for id in [NOBODY, "x", "'; --", "0198c0de00007000800000000000000a"] {
        let refused = [
            ("section.rename", json!({ "section_id": id, "title": "B" })),
            ("section.move", json!({ "section_id": id, "position": 0 })),
            ("section.remove", json!({ "section_id": id })),
            ("item.add", json!({ "section_id": id, "title": "B" })),
            (
                "item.add",
                json!({ "section_id": section, "title": "B", "assignee_member_ids": [id] }),
            ),
            ("item.update", json!({ "item_id": id })),
            ("item.move", json!({ "item_id": id })),
            ("item.move", json!({ "item_id": item, "section_id": id })),
            ("item.complete", json!({ "item_id": id })),
            ("item.reopen", json!({ "item_id": id })),
            ("item.remove", json!({ "item_id": id })),
            (
                "item.assign",
                json!({ "item_id": id, "assignee_member_ids": [] }),
            ),
            (
                "item.assign",
                json!({ "item_id": item, "assignee_member_ids": [id] }),
            ),
            ("item.schedule", json!({ "item_id": id })),
            (
                "item.link_event",
                json!({ "item_id": item, "event_id": id }),
            ),
            (
                "item.unlink_event",
                json!({ "item_id": item, "event_id": id }),
            ),
            ("member.add", json!({ "member_id": id })),
            ("member.remove", json!({ "member_id": id })),
        ];
        for (kind, payload) in refused {
            let what = format!("{kind} {payload}");
            let answer = desk.apply_operation(kind, payload).await;
            assert_eq!(
                (answer.status, answer.error_code()),
                (404, "NOT_FOUND"),
                "{what}: {}",
                answer.text
            );
        }
    }
    assert_eq!(desk.load_stored_project().await, before);
}

#[tokio::test]
async fn an_event_that_the_caller_may_not_see_is_neither_linked_nor_unlinked() {
    let desk = Desk::new().await;
    let creator = desk.app.as_member(Role::Criador).await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    let event = desk.lead.create_demand(json!({})).await;
    let link = json!({ "item_id": item, "event_id": event });
    desk.apply_operation_as(&creator, "item.link_event", link.clone())
        .await
        .expect_refusal(404, "NOT_FOUND");
    desk.apply_operation_as(&creator, "item.unlink_event", link.clone())
        .await
        .expect_refusal(404, "NOT_FOUND");
    desk.apply_operation("item.link_event", link.clone())
        .await
        .expect(200);
    let before = desk.load_stored_project().await;
    desk.apply_operation_as(&creator, "item.unlink_event", link.clone())
        .await
        .expect_refusal(404, "NOT_FOUND");
    assert_eq!(desk.load_stored_project().await, before);
    desk.apply_operation("item.unlink_event", link)
        .await
        .expect(200);

    let id = creator.get("/api/me").await.expect(200).body["member"]["id"].clone();
    let own = desk.lead.create_demand(json!({ "assignee_id": id })).await;
    let link = json!({ "item_id": item, "event_id": own });
    desk.apply_operation("item.link_event", link.clone())
        .await
        .expect(200);
    desk.apply_operation_as(&creator, "item.unlink_event", link)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_former_member_can_be_removed_but_not_added() {
    let desk = Desk::new().await;
    let admin = desk.app.as_member(Role::Admin).await;
    let ana = desk.app.add_member(Role::Criador).await;
    admin
        .delete(&format!("/api/membros/{}", ana.id))
        .await
        .expect(200);
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    let assign = json!({ "item_id": item, "assignee_member_ids": [ana.id] });
    desk.apply_operation("item.assign", assign)
        .await
        .expect_refusal(404, "NOT_FOUND");
    let person = json!({ "member_id": ana.id });
    desk.apply_operation("member.add", person.clone())
        .await
        .expect_refusal(404, "NOT_FOUND");
    let needless = desk
        .apply_operation("member.remove", person)
        .await
        .expect(200)
        .body;
    assert_eq!(needless["operation"], json!(null));
}

#[tokio::test]
async fn offboarding_unassigns_a_member_from_open_items_and_the_history_still_replays() {
    let desk = Desk::new().await;
    let boss = desk.app.add_member(Role::Admin).await;
    let admin = desk.app.session_client(&boss).await;
    let (ana, bia) = (
        desk.app.add_member(Role::Criador).await,
        desk.app.add_member(Role::Criador).await,
    );
    let section = desk.add_section("A").await;
    let (open, done) = (
        desk.add_item(&section, "aberto").await,
        desk.add_item(&section, "feito").await,
    );
    for item in [&open, &done] {
        let assign = json!({ "item_id": item, "assignee_member_ids": [ana.id, bia.id] });
        desk.apply_operation("item.assign", assign)
            .await
            .expect(200);
    }
    desk.apply_operation("item.complete", json!({ "item_id": done }))
        .await
        .expect(200);
    desk.apply_operation("member.add", json!({ "member_id": ana.id }))
        .await
        .expect(200);
    let (other, hers) = (
        Desk {
            id: super::create_project(&desk.lead, "Sem ela").await,
            lead: desk.lead.clone(),
            app: desk.app,
        },
        desk.id.clone(),
    );
    let desk = Desk {
        id: hers,
        lead: other.lead.clone(),
        app: other.app.second_instance().await,
    };
    let untouched = other.load_stored_project().await;
    admin
        .delete(&format!("/api/membros/{}", ana.id))
        .await
        .expect(200);
    assert_eq!(other.load_stored_project().await, untouched);
    let project = desk.read_project().await;
    let items = &project["sections"][0]["items"];
    assert_eq!(items[0]["assignee_member_ids"], json!([bia.id]));
    assert_eq!(
        items[1]["assignee_member_ids"],
        json!([ana.id, bia.id]),
        "a completed item must keep its assignees"
    );
    assert_eq!(project["members"], json!([]));
    let lines = super::history::read_history(&desk.lead, &desk.project_path(), 200).await;
    let last = lines.last().expect("a line");
    assert_eq!(last["type"], "member.remove");
    assert_eq!(last["payload"], json!({ "member_id": ana.id }));
    assert_eq!(string_value(&last["actor_member_id"]), boss.id.as_str());
    desk.assert_replays().await;
    // Repeating the offboarding does not change the project.
    admin
        .delete(&format!("/api/membros/{}", ana.id))
        .await
        .expect(200);
    assert_eq!(
        desk.load_stored_project().await.revision.get(),
        project["revision"].as_i64().expect("a revision")
    );
}

#[tokio::test]
async fn offboarding_leaves_archived_projects_as_they_are() {
    let desk = Desk::new().await;
    let admin = desk.app.as_member(Role::Admin).await;
    let ana = desk.app.add_member(Role::Criador).await;
    desk.apply_operation("member.add", json!({ "member_id": ana.id }))
        .await
        .expect(200);
    desk.apply_operation("project.archive", json!({}))
        .await
        .expect(200);
    let before = desk.load_stored_project().await;
    admin
        .delete(&format!("/api/membros/{}", ana.id))
        .await
        .expect(200);
    assert_eq!(desk.load_stored_project().await, before);
}
