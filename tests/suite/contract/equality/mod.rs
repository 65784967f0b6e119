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

use projects::projects;
use story::{Side, Step, Story};
use telling::run_story;

fn prepare_nothing(_: &mut Side) -> BoxFuture<'_, ()> {
    Box::pin(async {})
}

fn config() -> Story {
    let publish = |value: fn(&Side) -> Value| {
        Step::of("publish_config_version", value).other("key", json!("outra"))
    };
    Story {
        prepare: prepare_nothing,
        steps: vec![
            publish(
                |_| json!({ "key": "tons", "value": { "cor": "azul", "tons": [1, 2.5, null] } }),
            ),
            publish(|_| json!({ "key": "tons", "value": "verde" })),
            Step::of("get_config", |_| json!({ "limit": 10 })),
            Step::of(
                "list_config_history",
                |_| json!({ "key": "tons", "limit": 1 }),
            ),
        ],
    }
}

fn workflow() -> Story {
    fn prepare_assignee(side: &mut Side) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let member = side.app.member(Role::Criador).await;
            side.names.push((member.name, "Quem cria".into()));
            side.kept.insert("assignee", json!(member.id));
        })
    }
    Story {
        prepare: prepare_assignee,
        steps: vec![
            Step::of("create_demand", |side| {
                json!({
                    "title": "Festa junina ☕", "assignee_id": side["assignee"], "day": 24,
                    "month": 8, "year": 2026, "hour": "09:30", "description": "Oito ideias",
                    "tipo": "carrossel",
                })
            })
            .id("assignee_id")
            .other("title", json!("Outra festa"))
            .keep("event", "/event_id"),
            Step::of("update_event", |side| {
                json!({
                    "eventId": side["event"], "expected_revision": 1, "title": "Festa",
                    "assignee_ids": [side["assignee"], side["me"]],
                })
            })
            .id("eventId")
            .stale("expected_revision", json!(0))
            .other("title", json!("Outra festa")),
            Step::of("save_draft", |side| {
                json!({
                    "event_id": side["event"], "expected_revision": 2, "caption": "Canjica \"à\" \\",
                })
            })
            .id("event_id")
            .stale("expected_revision", json!(9))
            .other("caption", json!("Pamonha")),
            Step::of("list_events", |side| {
                json!({ "q": "canjica", "limit": 5, "de": "2026-08-01", "assignee_id": side["me"] })
            }),
            Step::of("list_my_tasks", |_| json!({})),
            Step::of("list_attachable_events", |_| json!({ "limit": 1 })),
            Step::of("submit_for_approval", |side| {
                json!({
                    "event_id": side["event"], "expected_revision": 3, "day": 25, "month": 8,
                })
            })
            .id("event_id")
            .stale("expected_revision", json!(2))
            .other("day", json!(26)),
            Step::of("list_pending_approvals", |_| json!({ "limit": 200 })),
            Step::of("decide_approval", |side| {
                json!({
                    "event_id": side["event"], "action": "recusar", "motivo": "Falta a receita",
                    "expected_revision": 4,
                })
            })
            .id("event_id")
            .stale("expected_revision", json!(3))
            .other("motivo", json!("Falta a foto")),
            Step::of("get_event", |side| json!({ "eventId": side["event"], "limit": 2 }))
                .id("eventId"),
        ],
    }
}

fn media() -> Story {
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
            Step::of("get_publishing_time_insights", |_| json!({})),
            Step::of("generate_art", |side| {
                json!({
                    "prompt": "Pão ☕", "event_id": side["event"], "size": "256x256",
                    "style": "minimalista",
                })
            })
            .id("event_id")
            .other("prompt", json!("Queijo")),
            Step::of("generate_carousel", |side| {
                json!({
                    "event_id": side["event"],
                    "cards": [{ "text": "Um" }, { "text": "Dois" }],
                })
            })
            .id("event_id")
            .other("cards", json!([{ "text": "Três" }]))
            .keep("first", "/cards/0/id")
            .keep("second", "/cards/1/id"),
            Step::of("update_event_media", |side| {
                json!({
                    "eventId": side["event"], "expected_revision": 3,
                    "order": [side["second"], side["first"]],
                    "alt": [{ "media_id": side["first"], "alt": "O número um" }],
                })
            })
            .id("eventId")
            .stale("expected_revision", json!(2))
            .other("detach", json!([])),
            Step::of(
                "list_media",
                |side| json!({ "event_id": side["event"], "limit": 5 }),
            )
            .id("event_id"),
        ],
    }
}

fn email_drafts() -> Story {
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
            Step::of("put_email_draft", |side| {
                json!({
                    "templateId": "boas.vindas:1", "html": "<p>\"Olá\" \\ 🎉</p>",
                    "metadata": { "assunto": "Olá", "n": [1, 2.5, null] },
                    "expected_updated_at": side["token"],
                })
            })
            .name("templateId", false)
            .stale("expected_updated_at", stale.clone())
            .other("html", json!("<p>Outro</p>"))
            .keep("token", "/draft/updated_at"),
            Step::of("list_email_drafts", |_| json!({ "limit": 1 })),
            Step::of(
                "get_email_draft",
                |_| json!({ "templateId": "boas.vindas:1", "de": 4, "tamanho": 3 }),
            )
            .name("templateId", true),
            Step::of("replace_in_email_draft", |side| {
                json!({
                    "templateId": "boas.vindas:1", "procurar": "Olá", "trocar_por": "Oi",
                    "todas": true, "expected_updated_at": side["token"],
                })
            })
            .name("templateId", true)
            .stale("expected_updated_at", stale.clone())
            .other("trocar_por", json!("Ei"))
            .keep("token", "/updated_at"),
            Step::of("get_email_draft", |_| json!({ "templateId": "boas.vindas:1" }))
                .name("templateId", true),
            Step::of("delete_email_draft", |side| {
                json!({ "templateId": "boas.vindas:1", "expected_updated_at": side["token"] })
            })
            .name("templateId", true)
            .stale("expected_updated_at", stale)
            .other("templateId", json!("outro")),
        ],
    }
}

fn skills() -> Story {
    let publish = |arguments: fn(&Side) -> Value| {
        Step::of("publish_skill_version", arguments)
            .name("name", false)
            .other("content", json!("# Outra"))
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
            .stale("expected_version", json!(9)),
            Step::of("list_skills", |_| json!({ "conteudo": false, "limit": 5 })),
            Step::of(
                "list_skills",
                |_| json!({ "name": "tom-de-voz", "version": 1, "limit": 1 }),
            ),
        ],
    }
}

#[tokio::test]
async fn config_answers_alike_on_both_interfaces() {
    run_story(config()).await;
}

#[tokio::test]
async fn email_drafts_answer_alike_on_both_interfaces() {
    run_story(email_drafts()).await;
}

#[tokio::test]
async fn skills_answer_alike_on_both_interfaces() {
    run_story(skills()).await;
}

#[tokio::test]
async fn the_workflow_answers_alike_on_both_interfaces() {
    run_story(workflow()).await;
}

#[tokio::test]
async fn media_answer_alike_on_both_interfaces() {
    run_story(media()).await;
}

#[tokio::test]
async fn projects_answer_alike_on_both_interfaces() {
    run_story(projects()).await;
}
