//! Calls on a project.

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::story::{Side, Step, Story};

pub(super) fn projects_story() -> Story {
    fn prepare_event(side: &mut Side) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let created = side
                .client
                .create_demand(json!({ "title": "Aula aberta" }))
                .await;
            side.kept.insert("event", json!(created));
        })
    }
    let apply = |arguments: fn(&Side) -> Value| {
        Step::for_tool("apply_project_operation", arguments)
            .with_id("projectId")
            .with_stale_revision("expected_revision", json!(0))
            .with_other_value("expected_revision", json!(99))
    };
    Story {
        prepare: prepare_event,
        steps: vec![
            Step::for_tool(
                "create_project",
                |_| json!({ "name": "Lançamento ☕", "description": "Um \"mês\" \\" }),
            )
            .with_other_value("name", json!("Outro"))
            .keep_value("project", "/project/id"),
            apply(|side| {
                json!({
                    "projectId": side["project"], "type": "section.add",
                    "payload": { "title": "Conteúdo" }, "expected_revision": 1,
                })
            })
            .keep_value("section", "/changed/section/id"),
            apply(|side| {
                json!({
                    "projectId": side["project"], "type": "item.add", "expected_revision": 2,
                    "payload": {
                        "section_id": side["section"], "title": "Roteiro", "due_on": "2026-09-01",
                        "assignee_member_ids": [side["me"]],
                    },
                })
            })
            .keep_value("item", "/changed/item/id"),
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
            Step::for_tool(
                "list_projects",
                |_| json!({ "status": "ativo", "limit": 1 }),
            ),
            Step::for_tool(
                "get_project",
                |side| json!({ "projectId": side["project"] }),
            )
            .with_id("projectId"),
            Step::for_tool(
                "list_project_operations",
                |side| json!({ "projectId": side["project"], "limit": 3 }),
            )
            .with_id("projectId"),
        ],
    }
}
