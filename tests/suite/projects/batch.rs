//! Several operations in one call, and the positions of new items.

use domain::{Capability, Role};
use serde_json::{Value, json};

use super::{Desk, NOBODY, item_titles, string_value};
use crate::support::Answer;

impl Desk {
    pub(super) async fn apply_batch(&self, operations: Value) -> Answer {
        let revision = self.load_stored_project().await.revision;
        let input = json!({ "operations": operations, "expected_revision": revision });
        let path = format!("/api/projects/{}/batch", self.id);
        self.lead.post(&path, input).await
    }
}

#[tokio::test]
async fn several_operations_make_one_revision_and_may_refer_to_added_ids() {
    let desk = Desk::new().await;
    let made = desk
        .apply_batch(json!([
            { "type": "section.add", "payload": { "title": "Depois" } },
            { "type": "section.add", "payload": { "title": "Antes", "position": 0 } },
            { "type": "item.add", "payload": { "section_id": "$1", "title": "b" } },
            { "type": "item.add", "payload": { "section_id": "$1", "title": "a", "position": 0 } },
            { "type": "item.complete", "payload": { "item_id": "$2" } },
            { "type": "project.rename", "payload": { "title": "Lançamento" } },
        ]))
        .await
        .expect(200)
        .body;
    assert_eq!(made["revision"], 2);
    let changed = made["changed"].as_array().expect("changes");
    assert_eq!(changed.len(), 6);
    assert_eq!(changed[4]["item"]["status"], "feito");
    assert_eq!(changed[5], Value::Null);
    let recorded = &made["operation"];
    assert_eq!(recorded["type"], "project.batch");
    assert_eq!(
        recorded["payload"]["operations"].as_array().map(Vec::len),
        Some(5)
    );
    let project = desk.read_project().await;
    assert_eq!(project["sections"][0]["title"], "Antes");
    assert_eq!(item_titles(&project, 0), ["a", "b"]);
    desk.assert_replays().await;

    // The refusal of a stale writer lists each operation of the batch.
    let late = desk
        .apply_operation_at(&desk.lead, 1, "project.archive", json!({}))
        .await;
    let since = late.expect_refusal(409, "STALE_REVISION").body["details"]["since"].clone();
    assert_eq!(since.as_array().map(Vec::len), Some(5));
    assert_eq!(since[2]["type"], "item.add");
    assert!(since[2]["item_id"].is_string() && since[2].get("title").is_none());
}

#[tokio::test]
async fn a_call_applies_all_of_its_operations_or_none() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    let good = json!({ "type": "item.add", "payload": { "section_id": section, "title": "x" } });
    let missing = json!({ "type": "item.complete", "payload": { "item_id": NOBODY } });
    let refused = desk
        .apply_batch(json!([good, missing]))
        .await
        .expect_refusal(404, "NOT_FOUND");
    assert_eq!(refused.body["details"]["operation"], 1);
    assert!(refused.text.contains("`get_project`"), "{}", refused.text);
    let wrong = json!({ "type": "item.add", "payload": { "section_id": section, "name": "x" } });
    let refused = desk.apply_batch(json!([good, wrong])).await;
    let fields = refused.invalid_fields();
    assert!(fields.contains(&"operations.1.payload.title"), "{fields:?}");
    for place in ["$1", "$9", "$x"] {
        let ahead = json!({ "type": "item.complete", "payload": { "item_id": place } });
        let refused = desk.apply_batch(json!([good, ahead])).await;
        assert_eq!(
            refused.invalid_fields(),
            ["operations.1.payload.item_id"],
            "{place}"
        );
    }
    for count in [0, 51] {
        let refused = desk.apply_batch(vec![good.clone(); count].into()).await;
        assert_eq!(refused.invalid_fields(), ["operations"]);
    }
    let schedule = json!({ "starts_on": "2026-09-02", "ends_on": "2026-09-01" });
    let schedule = json!({ "type": "project.schedule", "payload": schedule });
    assert_eq!(desk.apply_batch(json!([good, schedule])).await.status, 400);
    assert_eq!(desk.load_stored_project().await.revision.get(), 2);
    let nothing = json!([{ "type": "project.rename", "payload": { "title": "Lançamento" } }]);
    let same = desk.apply_batch(nothing).await.expect(200).body;
    assert_eq!(
        (&same["revision"], &same["operation"]),
        (&json!(2), &Value::Null)
    );
}

#[tokio::test]
async fn every_operation_of_a_call_needs_its_own_right() {
    let desk = Desk::new().await;
    let member = desk.app.add_member(Role::Lider).await;
    let (editor, _) = desk
        .app
        .token_client_with(&member, &[Capability::ProjectsEdit])
        .await;
    let both = json!({ "expected_revision": 1, "operations": [
        { "type": "section.add", "payload": { "title": "A" } },
        { "type": "project.archive", "payload": {} },
    ] });
    let path = format!("/api/projects/{}/batch", desk.id);
    let refused = editor.post(&path, both).await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    assert_eq!(refused.body["details"]["capability"], "projects_manage");
    assert_eq!(refused.body["details"]["roles"], json!(["lider", "admin"]));
    assert_eq!(desk.load_stored_project().await.revision.get(), 1);
}

#[tokio::test]
async fn sections_and_items_are_added_at_their_position() {
    let desk = Desk::new().await;
    let last = desk.add_section("B").await;
    for (title, position) in [("A", 0), ("C", 99)] {
        let payload = json!({ "title": title, "position": position });
        desk.apply_operation("section.add", payload)
            .await
            .expect(200);
    }
    for (title, position) in [("y", 0), ("x", 0), ("z", 2)] {
        let payload = json!({ "section_id": last, "title": title, "position": position });
        let added = desk
            .apply_operation("item.add", payload)
            .await
            .expect(200)
            .body;
        assert_eq!(added["changed"]["item"]["position"], position);
    }
    let project = desk.read_project().await;
    let sections = project["sections"].as_array().expect("sections");
    let names: Vec<_> = sections
        .iter()
        .map(|section| string_value(&section["title"]))
        .collect();
    assert_eq!(names, ["A", "B", "C"]);
    assert_eq!(item_titles(&project, 1), ["x", "y", "z"]);
    desk.assert_replays().await;
}
