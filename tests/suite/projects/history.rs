//! The history of a project: paged, complete, and sufficient to reproduce the project.

use std::collections::HashSet;

use domain::{Role, is_id, project::Project};
use serde_json::{Value, json};

use super::{Desk, NOBODY, string_value};
use crate::support::Client;

/// Reads all pages of the history; returns the operations, oldest first.
pub(super) async fn read_history(client: &Client, path: &str, limit: usize) -> Vec<Value> {
    let (mut lines, mut cursor) = (vec![], String::new());
    loop {
        let page = client
            .get(&format!("{path}?limit={limit}{cursor}"))
            .await
            .expect(200)
            .body;
        lines.extend(
            page["operations"]
                .as_array()
                .expect("lines")
                .iter()
                .cloned(),
        );
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    lines.reverse();
    lines
}

/// Applies the operations of a history to an empty project.
pub(super) fn replay_history(lines: &[Value]) -> Project {
    let mut project = Project::default();
    for line in lines {
        let operation = json!({ "type": line["type"], "payload": line["payload"] });
        let operation = serde_json::from_value(operation).expect("an operation");
        project
            .apply(&operation)
            .expect("the operation applied before");
    }
    project
}

impl Desk {
    /// Asserts that replaying the history from the API produces the stored document, byte for byte.
    pub(super) async fn assert_replays(&self) {
        let lines = read_history(&self.lead, &self.project_path(), 200).await;
        let replayed = serde_json::to_string(&replay_history(&lines)).expect("JSON");
        let document = replayed.replace('\'', "''");
        let stored = format!(
            "projects WHERE id = '{}' AND document = '{document}'",
            self.id
        );
        assert_eq!(self.app.count_rows(&stored).await, 1, "{replayed}");
        let revisions: Vec<_> = lines
            .iter()
            .filter_map(|l| l["revision"].as_i64())
            .collect();
        assert_eq!(
            revisions,
            (1..=self.load_stored_project().await.revision.get()).collect::<Vec<_>>()
        );
    }
}

#[tokio::test]
async fn a_replay_of_the_history_produces_the_stored_project_byte_for_byte() {
    let desk = Desk::new().await;
    let ana = desk.app.add_member(Role::Criador).await;
    let event = desk.lead.create_demand(json!({})).await;
    let (a, b) = (
        desk.add_section("A").await,
        desk.add_section("Á 🎉 \"\\ ' \u{1} \u{2028}").await,
    );
    let one = desk.add_item(&a, "um").await;
    let two = desk.add_item(&a, "dois").await;
    let steps = [
        ("project.describe", json!({ "notes": "linha\r\n\ttab" })),
        ("project.schedule", json!({ "starts_on": "2026-09-01" })),
        (
            "member.add",
            json!({ "member_id": ana.id.as_str().to_uppercase() }),
        ),
        (
            "item.assign",
            json!({ "item_id": one, "assignee_member_ids": [ana.id.as_str().to_uppercase()] }),
        ),
        (
            "item.link_event",
            json!({ "item_id": one.to_uppercase(), "event_id": event }),
        ),
        (
            "item.move",
            json!({ "item_id": two, "section_id": b, "position": 7 }),
        ),
        (
            "item.update",
            json!({ "item_id": two, "notes": "e\u{301} é" }),
        ),
        (
            "item.schedule",
            json!({ "item_id": two, "due_on": "2026-12-31" }),
        ),
        ("item.complete", json!({ "item_id": two })),
        ("section.move", json!({ "section_id": b, "position": 0 })),
        ("member.remove", json!({ "member_id": ana.id })),
        ("item.remove", json!({ "item_id": two })),
        ("project.archive", json!({})),
        ("project.restore", json!({})),
    ];
    for (kind, payload) in steps {
        let answer = desk.apply_operation(kind, payload).await.expect(200).body;
        assert_eq!(answer["operation"]["type"], kind);
        desk.assert_replays().await;
    }
    assert_eq!(
        desk.read_project().await["sections"][1]["items"][0]["assignee_member_ids"],
        json!([])
    );
}

#[tokio::test]
async fn the_history_is_listed_newest_first_in_pages_without_gaps() {
    let desk = Desk::new().await;
    for count in 0..6 {
        desk.add_section(&format!("S{count}")).await;
    }
    for limit in [1, 3, 7, 200] {
        let lines = read_history(&desk.lead, &desk.project_path(), limit).await;
        let revisions: Vec<_> = lines.iter().map(|l| l["revision"].clone()).collect();
        assert_eq!(revisions, (1..=7).collect::<Vec<_>>(), "limit {limit}");
        assert_eq!(lines[6]["payload"]["title"], "S5");
        assert!(lines.iter().all(|line| line["actor_name"].is_string()));
        let ids: HashSet<_> = lines.iter().map(|line| string_value(&line["id"])).collect();
        assert!(ids.len() == 7 && ids.iter().all(|id| is_id(id)), "{ids:?}");
    }
    let first = desk
        .lead
        .get(&format!("{}?limit=1", desk.project_path()))
        .await
        .expect(200)
        .body;
    assert_eq!(first["operations"][0]["revision"], 7);
    let path = format!("{}?cursor=xyz", desk.project_path());
    assert_eq!(desk.lead.get(&path).await.invalid_fields(), ["cursor"]);
}

#[tokio::test]
async fn the_history_of_an_unknown_project_is_not_found() {
    let desk = Desk::new().await;
    for id in [NOBODY, "x", "..", "%2E%2E", "'"] {
        let path = format!("/api/projects/{id}/operations");
        desk.lead.get(&path).await.expect_refusal(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn refused_operations_and_those_without_effect_are_not_recorded() {
    let desk = Desk::new().await;
    let section = desk.add_section("A").await;
    desk.apply_operation(
        "section.rename",
        json!({ "section_id": section, "title": "A" }),
    )
    .await
    .expect(200);
    desk.apply_operation(
        "section.rename",
        json!({ "section_id": NOBODY, "title": "B" }),
    )
    .await
    .expect_refusal(404, "NOT_FOUND");
    let lines = read_history(&desk.lead, &desk.project_path(), 200).await;
    assert_eq!(lines.len(), 2);
    assert_eq!(string_value(&lines[1]["payload"]["section_id"]), section);
    assert_eq!(desk.app.count_rows("project_operations").await, 2);
}
