//! Calls on a project.

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::story::{Side, Step, Story};

pub(super) fn projects() -> Story {
    fn prepare_event(side: &mut Side) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let created = side.client.demand(json!({ "title": "Aula aberta" })).await;
            side.kept.insert("event", json!(created));
        })
    }
    let apply = |arguments: fn(&Side) -> Value| {
        Step::of("apply_project_operation", arguments)
            .id("projectId")
            .stale("expected_revision", json!(0))
            .other("expected_revision", json!(99))
    };
    Story {
        prepare: prepare_event,
        steps: vec![
            Step::of(
                "create_project",
                |_| json!({ "name": "Lançamento ☕", "description": "Um \"mês\" \\" }),
            )
            .other("name", json!("Outro"))
            .keep("project", "/project/id"),
            apply(|side| {
                json!({
                    "projectId": side["project"], "type": "section.add",
                    "payload": { "title": "Conteúdo" }, "expected_revision": 1,
                })
            })
            .keep("section", "/changed/section/id"),
            apply(|side| {
                json!({
                    "projectId": side["project"], "type": "item.add", "expected_revision": 2,
                    "payload": {
                        "section_id": side["section"], "title": "Roteiro", "due_on": "2026-09-01",
                        "assignee_member_ids": [side["me"]],
                    },
                })
            })
            .keep("item", "/changed/item/id"),
            apply(|side| {
                json!({
                    "projectId": side["project"], "type": "item.link_event",
                    "payload": { "item_id": side["item"], "event_id": side["event"] },
                    "expected_revision": 3,
                })
            }),
            apply(|side| {
                json!({
                    "projectId": side["project"], "type": "member.add",
                    "payload": { "member_id": side["me"] }, "expected_revision": 4,
                })
            }),
            Step::of(
                "list_projects",
                |_| json!({ "status": "ativo", "limit": 1 }),
            ),
            Step::of(
                "get_project",
                |side| json!({ "projectId": side["project"] }),
            )
            .id("projectId"),
            Step::of(
                "list_project_operations",
                |side| json!({ "projectId": side["project"], "limit": 3 }),
            )
            .id("projectId"),
        ],
    }
}
