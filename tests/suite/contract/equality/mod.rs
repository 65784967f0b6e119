//! One operation, two interfaces: REST and MCP give the same answers and the same refusals.
//!
//! The same calls are made in the same order, to one service by REST and to its twin by MCP: the
//! example of every tool, and stories in which calls build on each other.

mod by_example;
mod call;
mod fuzz;
mod projects;
mod story;
mod telling;

use domain::Role;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use projects::projects_story;
use story::{Side, Step, Story};
use telling::run_story;

fn prepare_nothing(_: &mut Side) -> BoxFuture<'_, ()> {
    Box::pin(async {})
}

fn config_story() -> Story {
    let publish = |value: fn(&Side) -> Value| {
        Step::for_tool("publish_config_version", value).with_other_value("key", json!("outra"))
    };
    Story {
        prepare: prepare_nothing,
        steps: vec![
            publish(
                |_| json!({ "key": "tons", "value": { "cor": "azul", "tons": [1, 2.5, null] } }),
            ),
            publish(|_| json!({ "key": "tons", "value": "verde" })),
            Step::for_tool("get_config", |_| json!({ "limit": 10 })),
            Step::for_tool(
                "list_config_history",
                |_| json!({ "key": "tons", "limit": 1 }),
            ),
        ],
    }
}

fn workflow_story() -> Story {
    fn prepare_assignee(side: &mut Side) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let member = side.app.add_member(Role::Criador).await;
            side.names.push((member.name, "Quem cria".into()));
            side.kept.insert("assignee", json!(member.id));
        })
    }
    Story {
        prepare: prepare_assignee,
        steps: vec![
            Step::for_tool("create_demand", |side| {
                json!({
                    "title": "Festa junina ☕", "assignee_id": side["assignee"], "day": 24,
                    "month": 8, "year": 2026, "hour": "09:30", "description": "Oito ideias",
                    "tipo": "carrossel",
                })
            })
            .with_id("assignee_id")
            .with_other_value("title", json!("Outra festa"))
            .keep_value("event", "/event_id"),
            Step::for_tool("update_event", |side| {
                json!({
                    "eventId": side["event"], "expected_revision": 1, "title": "Festa",
                    "assignee_ids": [side["assignee"], side["me"]],
                })
            })
            .with_id("eventId")
            .with_stale_revision("expected_revision", json!(0))
            .with_other_value("title", json!("Outra festa")),
            Step::for_tool("save_draft", |side| {
                json!({
                    "event_id": side["event"], "expected_revision": 2, "caption": "Canjica \"à\" \\",
                })
            })
            .with_id("event_id")
            .with_stale_revision("expected_revision", json!(9))
            .with_other_value("caption", json!("Pamonha")),
            Step::for_tool("list_events", |side| {
                json!({ "q": "canjica", "limit": 5, "de": "2026-08-01", "assignee_id": side["me"] })
            }),
            Step::for_tool("list_my_tasks", |_| json!({})),
            Step::for_tool("list_attachable_events", |_| json!({ "limit": 1 })),
            Step::for_tool("submit_for_approval", |side| {
                json!({
                    "event_id": side["event"], "expected_revision": 3, "day": 25, "month": 8,
                })
            })
            .with_id("event_id")
            .with_stale_revision("expected_revision", json!(2))
            .with_other_value("day", json!(26)),
            Step::for_tool("list_pending_approvals", |_| json!({ "limit": 200 })),
            Step::for_tool("decide_approval", |side| {
                json!({
                    "event_id": side["event"], "action": "recusar", "motivo": "Falta a receita",
                    "expected_revision": 4,
                })
            })
            .with_id("event_id")
            .with_stale_revision("expected_revision", json!(3))
            .with_other_value("motivo", json!("Falta a foto")),
            Step::for_tool("get_event", |side| json!({ "eventId": side["event"], "limit": 2 }))
                .with_id("eventId"),
        ],
    }
}

fn media_story() -> Story {
    fn prepare_event(side: &mut Side) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let demand = json!({ "title": "Com imagens" });
            let created = side
                .client
                .post("/api/demanda", demand)
                .await
                .expect(200)
                .body;
            side.kept.insert("event", created["event_id"].clone());
        })
    }
    Story {
        prepare: prepare_event,
        steps: vec![
            Step::for_tool("get_publishing_time_insights", |_| json!({})),
            Step::for_tool("generate_art", |side| {
                json!({
                    "prompt": "Pão ☕", "event_id": side["event"], "size": "256x256",
                    "style": "minimalista",
                })
            })
            .with_id("event_id")
            .with_other_value("prompt", json!("Queijo")),
            Step::for_tool("generate_carousel", |side| {
                json!({
                    "event_id": side["event"],
                    "cards": [{ "text": "Um" }, { "text": "Dois" }],
                })
            })
            .with_id("event_id")
            .with_other_value("cards", json!([{ "text": "Três" }]))
            .keep_value("first", "/cards/0/id")
            .keep_value("second", "/cards/1/id"),
            Step::for_tool("update_event_media", |side| {
                json!({
                    "eventId": side["event"], "expected_revision": 3,
                    "order": [side["second"], side["first"]],
                    "alt": [{ "media_id": side["first"], "alt": "O número um" }],
                })
            })
            .with_id("eventId")
            .with_stale_revision("expected_revision", json!(2))
            .with_other_value("detach", json!([])),
            Step::for_tool(
                "list_media",
                |side| json!({ "event_id": side["event"], "limit": 5 }),
            )
            .with_id("event_id"),
        ],
    }
}

fn email_drafts_story() -> Story {
    fn prepare_draft(side: &mut Side) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let input = json!({ "html": "<p>Um</p>", "expected_updated_at": null });
            let put = side.client.put("/api/email-drafts/boas.vindas:1", input);
            let put = put.await.expect(200).body;
            side.kept
                .insert("token", put["draft"]["updated_at"].clone());
        })
    }
    let stale = json!("2026-08-22T15:00:00.0001Z");
    Story {
        prepare: prepare_draft,
        steps: vec![
            Step::for_tool("put_email_draft", |side| {
                json!({
                    "templateId": "boas.vindas:1", "html": "<p>\"Olá\" \\ 🎉</p>",
                    "metadata": { "assunto": "Olá", "n": [1, 2.5, null] },
                    "expected_updated_at": side["token"],
                })
            })
            .with_name("templateId", false)
            .with_stale_revision("expected_updated_at", stale.clone())
            .with_other_value("html", json!("<p>Outro</p>"))
            .keep_value("token", "/draft/updated_at"),
            Step::for_tool("list_email_drafts", |_| json!({ "limit": 1 })),
            Step::for_tool(
                "get_email_draft",
                |_| json!({ "templateId": "boas.vindas:1", "de": 4, "tamanho": 3 }),
            )
            .with_name("templateId", true),
            Step::for_tool("replace_in_email_draft", |side| {
                json!({
                    "templateId": "boas.vindas:1", "procurar": "Olá", "trocar_por": "Oi",
                    "todas": true, "expected_updated_at": side["token"],
                })
            })
            .with_name("templateId", true)
            .with_stale_revision("expected_updated_at", stale.clone())
            .with_other_value("trocar_por", json!("Ei"))
            .keep_value("token", "/updated_at"),
            Step::for_tool("get_email_draft", |_| json!({ "templateId": "boas.vindas:1" }))
                .with_name("templateId", true),
            Step::for_tool("delete_email_draft", |side| {
                json!({ "templateId": "boas.vindas:1", "expected_updated_at": side["token"] })
            })
            .with_name("templateId", true)
            .with_stale_revision("expected_updated_at", stale)
            .with_other_value("templateId", json!("outro")),
        ],
    }
}

fn skills_story() -> Story {
    let publish = |arguments: fn(&Side) -> Value| {
        Step::for_tool("publish_skill_version", arguments)
            .with_name("name", false)
            .with_other_value("content", json!("# Outra"))
    };
    Story {
        prepare: prepare_nothing,
        steps: vec![
            publish(|_| {
                json!({
                    "name": "tom-de-voz", "description": "Como a casa fala",
                    "content": "# Tom\n\n\"Direto\" \\ próximo ☕", "expected_version": 0,
                })
            }),
            publish(|_| {
                json!({
                    "name": "tom-de-voz", "description": "Como a casa fala", "content": "# Tom",
                    "expected_version": 1,
                })
            })
            .with_stale_revision("expected_version", json!(9)),
            Step::for_tool("list_skills", |_| json!({ "conteudo": false, "limit": 5 })),
            Step::for_tool(
                "list_skills",
                |_| json!({ "name": "tom-de-voz", "version": 1, "limit": 1 }),
            ),
        ],
    }
}

#[tokio::test]
async fn config_answers_alike_on_both_interfaces() {
    run_story(config_story()).await;
}

#[tokio::test]
async fn email_drafts_answer_alike_on_both_interfaces() {
    run_story(email_drafts_story()).await;
}

#[tokio::test]
async fn skills_answer_alike_on_both_interfaces() {
    run_story(skills_story()).await;
}

#[tokio::test]
async fn the_workflow_answers_alike_on_both_interfaces() {
    run_story(workflow_story()).await;
}

#[tokio::test]
async fn media_answer_alike_on_both_interfaces() {
    run_story(media_story()).await;
}

#[tokio::test]
async fn projects_answer_alike_on_both_interfaces() {
    run_story(projects_story()).await;
}
