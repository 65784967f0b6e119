//! The effect of each operation type. Repeating an operation has no effect.

use domain::{Role, project::Project};
use serde_json::{Value, json};

use super::{Desk, create_project, item_titles, string_value};
use crate::support::TestApp;

#[tokio::test]
async fn a_new_project_is_empty_and_its_creation_is_revision_1() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let input = json!({ "name": "Páscoa 🐣", "description": "Tudo\npara abril" });
    let answer = lead.post("/api/projects", input).await.expect(201).body;
    assert_eq!(answer["ok"], true);
    let id = string_value(&answer["project"]["id"]);
    let expected = json!({
        "id": id, "name": "Páscoa 🐣", "description": "Tudo\npara abril", "status": "ativo",
        "starts_on": null, "ends_on": null, "members": [], "sections": [],
        "counts": { "sections": 0, "items": 0, "open": 0, "done": 0, "members": 0 },
        "revision": 1, "api_revision": 1,
        "updated_at": "2026-08-22T15:00:00.000Z", "created_at": "2026-08-22T15:00:00.000Z",
        "created_by": member.id, "created_by_name": member.name,
    });
    assert_eq!(answer["project"], expected);
    let read = lead
        .get(&format!("/api/projects/{id}"))
        .await
        .expect(200)
        .body;
    assert_eq!(read, json!({ "project": expected, "next_cursor": null }));
    let history = lead
        .get(&format!("/api/projects/{id}/operations"))
        .await
        .expect(200)
        .body;
    let lines = history["operations"].as_array().expect("lines");
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["type"], "project.create");
    assert_eq!(
        lines[0]["payload"],
        json!({ "title": "Páscoa 🐣", "notes": "Tudo\npara abril" })
    );
}

#[tokio::test]
async fn the_answer_contains_the_recorded_operation_and_the_changed_part() {
    let desk = Desk::new().await;
    let input = json!({
        "type": "section.add", "payload": { "title": "Conteúdo" }, "expected_revision": 1,
        "expected_updated_at": "2026-08-22T12:00:00-03:00",
    });
    let answer = desk
        .lead
        .post(&desk.project_path(), input)
        .await
        .expect(200)
        .body;
    let section = answer["changed"]["section"]["id"].clone();
    assert_eq!(
        (&answer["revision"], &answer["api_revision"]),
        (&json!(2), &json!(2))
    );
    // Two revisions have different instants, even if the clock shows the same time.
    assert_eq!(answer["updated_at"], "2026-08-22T15:00:00.001Z");
    assert_eq!(
        answer["operation"]["payload"],
        json!({ "section_id": section, "title": "Conteúdo" })
    );
    assert_eq!(answer["operation"]["occurred_at"], answer["updated_at"]);
    assert_eq!(
        answer["changed"],
        json!({ "removed": false, "section": {
            "id": section, "title": "Conteúdo", "position": 0, "items": 0,
        } })
    );
    let history = desk.lead.get(&desk.project_path()).await.expect(200).body;
    assert_eq!(history["operations"][0], answer["operation"]);
}

#[tokio::test]
async fn sections_are_added_renamed_moved_and_removed() {
    let desk = Desk::new().await;
    let mut ids = vec![];
    for title in ["A", "B", "C"] {
        ids.push(desk.add_section(title).await);
    }
    let order = async || {
        let project = desk.read_project().await;
        let sections = project["sections"].as_array().expect("sections").clone();
        sections
            .iter()
            .map(|s| string_value(&s["title"]))
            .collect::<String>()
    };
    for (from, to, expected) in [(0, 2, "BCA"), (0, 0, "ABC"), (2, 1, "ACB"), (0, 999, "CBA")] {
        let payload = json!({ "section_id": ids[from], "position": to });
        let moved = desk
            .apply_operation("section.move", payload)
            .await
            .expect(200)
            .body;
        assert_eq!(order().await, expected);
        let place = expected
            .find(["A", "B", "C"][from])
            .expect("the item is in its section");
        assert_eq!(moved["changed"]["section"]["position"], place);
    }
    let payload = json!({ "section_id": ids[1], "title": "Bê" });
    desk.apply_operation("section.rename", payload)
        .await
        .expect(200);
    assert_eq!(order().await, "CBêA");
    let gone = json!({ "section_id": ids[2] });
    let removed = desk
        .apply_operation("section.remove", gone.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(removed["changed"]["removed"], true);
    assert_eq!(removed["changed"]["section"]["position"], Value::Null);
    assert_eq!(order().await, "BêA");
    desk.apply_operation("section.remove", gone)
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_section_is_removed_only_when_empty() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    let payload = json!({ "section_id": section });
    let answer = desk
        .apply_operation("section.remove", payload.clone())
        .await;
    let answer = answer.expect_refusal(409, "SECTION_NOT_EMPTY");
    assert_eq!(answer.body["details"]["items"], 1);
    assert_eq!(desk.load_stored_project().await.revision.get(), 3);
    desk.apply_operation("item.remove", json!({ "item_id": item }))
        .await
        .expect(200);
    desk.apply_operation("section.remove", payload)
        .await
        .expect(200);
    assert_eq!(desk.read_project().await["sections"], json!([]));
}

#[tokio::test]
async fn items_move_within_their_section_and_to_another() {
    let desk = Desk::new().await;
    let (a, b) = (desk.add_section("A").await, desk.add_section("B").await);
    let mut ids = vec![];
    for title in ["1", "2", "3"] {
        ids.push(desk.add_item(&a, title).await);
    }
    let steps = [
        (json!({ "item_id": ids[0], "position": 1 }), "213", ""),
        (json!({ "item_id": ids[0] }), "231", ""),
        (json!({ "item_id": ids[2], "section_id": b }), "21", "3"),
        (
            json!({ "item_id": ids[1], "section_id": b, "position": 0 }),
            "1",
            "23",
        ),
        (
            json!({ "item_id": ids[0], "section_id": b, "position": 1 }),
            "",
            "213",
        ),
        (
            json!({ "item_id": ids[0], "section_id": a, "position": 1000 }),
            "1",
            "23",
        ),
    ];
    for (payload, in_a, in_b) in steps {
        let moved = desk
            .apply_operation("item.move", payload.clone())
            .await
            .expect(200)
            .body;
        let project = desk.read_project().await;
        assert_eq!(item_titles(&project, 0).concat(), in_a, "{payload}");
        assert_eq!(item_titles(&project, 1).concat(), in_b, "{payload}");
        let place = &moved["changed"]["item"];
        let section = usize::from(place["section_id"] == *b);
        let position = place["position"]
            .as_u64()
            .and_then(|p| usize::try_from(p).ok());
        let stands = &project["sections"][section]["items"][position.expect("a position")];
        assert_eq!(stands["id"], place["id"], "{payload}");
    }
}

#[tokio::test]
async fn an_item_can_have_notes_people_a_date_and_events() {
    let desk = Desk::new().await;
    let ana = desk.app.add_member(Role::Criador).await;
    let event = desk.lead.create_demand(json!({})).await;
    let section = desk.add_section("A").await;
    let added = json!({
        "section_id": section, "title": "Cardápio", "notes": "n", "due_on": "2026-09-10",
        "assignee_member_ids": [ana.id],
    });
    let added = desk
        .apply_operation("item.add", added)
        .await
        .expect(200)
        .body;
    let id = added["changed"]["item"]["id"].clone();
    assert_eq!(added["operation"]["payload"]["item_id"], id);
    let steps = [
        (
            "item.update",
            json!({ "title": "Menu", "notes": "" }),
            json!({ "title": "Menu", "notes": "" }),
        ),
        ("item.complete", json!({}), json!({ "status": "feito" })),
        ("item.reopen", json!({}), json!({ "status": "aberto" })),
        (
            "item.assign",
            json!({ "assignee_member_ids": [] }),
            json!({ "assignee_member_ids": [] }),
        ),
        (
            "item.schedule",
            json!({ "due_on": "2028-02-29" }),
            json!({ "due_on": "2028-02-29" }),
        ),
        ("item.schedule", json!({}), json!({ "due_on": null })),
        (
            "item.link_event",
            json!({ "event_id": event }),
            json!({ "event_ids": [event] }),
        ),
        (
            "item.unlink_event",
            json!({ "event_id": event }),
            json!({ "event_ids": [] }),
        ),
    ];
    for (kind, mut payload, expected) in steps {
        payload["item_id"] = id.clone();
        let answer = desk
            .apply_operation(kind, payload.clone())
            .await
            .expect(200)
            .body;
        for (field, value) in expected.as_object().expect("fields") {
            assert_eq!(answer["changed"]["item"][field], *value, "{kind}");
            assert_eq!(
                desk.read_project().await["sections"][0]["items"][0][field],
                *value,
                "{kind}"
            );
        }
        let again = desk.apply_operation(kind, payload).await.expect(200).body;
        assert_eq!(
            again["revision"], answer["revision"],
            "repeating {kind} must add no revision"
        );
        assert_eq!(
            (&again["operation"], &again["changed"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(again["updated_at"], answer["updated_at"]);
    }
    let removed = desk
        .apply_operation("item.remove", json!({ "item_id": id }))
        .await
        .expect(200)
        .body;
    assert_eq!(removed["changed"]["item"]["title"], "Menu");
    assert_eq!(removed["changed"]["item"]["position"], Value::Null);
}

#[tokio::test]
async fn the_header_is_renamed_described_scheduled_archived_and_restored() {
    let desk = Desk::new().await;
    let ana = desk.app.add_member(Role::Criador).await;
    let steps = [
        (
            "project.rename",
            json!({ "title": "Novo" }),
            json!({ "name": "Novo" }),
        ),
        (
            "project.describe",
            json!({ "notes": "D" }),
            json!({ "description": "D" }),
        ),
        (
            "project.describe",
            json!({ "notes": "" }),
            json!({ "description": "" }),
        ),
        (
            "project.schedule",
            json!({ "starts_on": "2026-09-01", "ends_on": "2026-09-01" }),
            json!({ "starts_on": "2026-09-01", "ends_on": "2026-09-01" }),
        ),
        (
            "project.schedule",
            json!({ "ends_on": "2026-08-01" }),
            json!({ "starts_on": null, "ends_on": "2026-08-01" }),
        ),
        (
            "project.schedule",
            json!({}),
            json!({ "starts_on": null, "ends_on": null }),
        ),
        (
            "member.add",
            json!({ "member_id": ana.id }),
            json!({ "members": [{ "id": ana.id, "name": ana.name }] }),
        ),
        (
            "member.remove",
            json!({ "member_id": ana.id }),
            json!({ "members": [] }),
        ),
        (
            "project.archive",
            json!({}),
            json!({ "status": "arquivado" }),
        ),
        ("project.restore", json!({}), json!({ "status": "ativo" })),
    ];
    for (kind, payload, expected) in steps {
        let answer = desk
            .apply_operation(kind, payload.clone())
            .await
            .expect(200)
            .body;
        for (field, value) in expected.as_object().expect("fields") {
            assert_eq!(answer["changed"]["project"][field], *value, "{kind}");
            assert_eq!(desk.read_project().await[field], *value, "{kind}");
        }
        let again = desk.apply_operation(kind, payload).await.expect(200).body;
        assert_eq!(
            again["revision"], answer["revision"],
            "repeating {kind} must add no revision"
        );
        assert_eq!(
            (&again["operation"], &again["changed"]),
            (&Value::Null, &Value::Null)
        );
    }
    let backwards = json!({ "starts_on": "2026-09-02", "ends_on": "2026-09-01" });
    let refused = desk.apply_operation("project.schedule", backwards).await;
    assert_eq!(refused.invalid_fields(), ["payload.ends_on"]);
}

#[tokio::test]
async fn an_archived_project_can_only_be_restored() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    let ana = desk.app.add_member(Role::Criador).await;
    desk.apply_operation("project.archive", json!({}))
        .await
        .expect(200);
    let refused = [
        ("section.add", json!({ "title": "B" })),
        (
            "section.rename",
            json!({ "section_id": section, "title": "A" }),
        ),
        ("item.complete", json!({ "item_id": item })),
        ("project.rename", json!({ "title": "Outro" })),
        ("project.rename", json!({ "title": "Lançamento" })),
        ("member.add", json!({ "member_id": ana.id })),
    ];
    let before = desk.load_stored_project().await;
    for (kind, payload) in refused {
        desk.apply_operation(kind, payload)
            .await
            .expect_refusal(409, "PROJECT_ARCHIVED");
    }
    desk.apply_operation("project.archive", json!({}))
        .await
        .expect(200);
    assert_eq!(desk.load_stored_project().await, before);
    desk.apply_operation("project.restore", json!({}))
        .await
        .expect(200);
    desk.apply_operation("item.complete", json!({ "item_id": item }))
        .await
        .expect(200);
}

#[tokio::test]
async fn projects_do_not_share_sections_or_items() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    let other = Desk {
        id: create_project(&desk.lead, "Outro").await,
        lead: desk.lead.clone(),
        app: desk.app,
    };
    let payload = json!({ "section_id": section, "title": "y" });
    other
        .apply_operation("item.add", payload)
        .await
        .expect_refusal(404, "NOT_FOUND");
    other
        .apply_operation("item.complete", json!({ "item_id": item }))
        .await
        .expect_refusal(404, "NOT_FOUND");
    assert_eq!(
        other.load_stored_project().await.project,
        Project {
            name: "Outro".into(),
            ..Project::default()
        }
    );
}
