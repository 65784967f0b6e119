//! The visibility of events: a member sees the events that they created or are assigned to. Answers
//! reveal nothing about other events.

use std::collections::BTreeSet;

use domain::{Capability, Level, Role};
use serde_json::json;

use super::{NO_EVENT, list_titles};
use crate::support::TestApp;

#[tokio::test]
async fn a_criador_sees_only_events_that_they_created_or_are_assigned_to() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let author = app.session_client(&member).await;
    author.create_demand(json!({ "title": "Criado" })).await;
    let change = json!({ "member_id": member.id, "access_level": "criador" });
    admin.patch("/api/membros", change).await.expect(200);
    admin
        .create_demand(json!({ "title": "Atribuído", "assignee_id": member.id }))
        .await;
    let hidden = admin.create_demand(json!({ "title": "Alheio" })).await;

    let token = app.token_client(&member).await;
    for client in [&author, &token] {
        let seen: BTreeSet<_> = list_titles(client, "/api/eventos")
            .await
            .into_iter()
            .collect();
        assert_eq!(seen, BTreeSet::from(["Criado".into(), "Atribuído".into()]));
        let seen: BTreeSet<_> = list_titles(client, "/api/anexaveis")
            .await
            .into_iter()
            .collect();
        assert_eq!(seen.len(), 2);
        assert_eq!(list_titles(client, "/api/tarefas").await, ["Atribuído"]);
        assert_eq!(list_titles(client, "/api/eventos?q=alheio").await, [""; 0]);
        client
            .get(&format!("/api/eventos/{hidden}"))
            .await
            .expect_refusal(404, "NOT_FOUND");
    }
    for role in [Role::Lider, Role::Admin] {
        assert_eq!(
            list_titles(&app.as_member(role).await, "/api/eventos")
                .await
                .len(),
            3
        );
    }
}

#[tokio::test]
async fn a_hidden_event_and_an_absent_one_get_the_same_answer_on_every_operation() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.as_member(Role::Criador).await;
    let id = lead.create_demand(json!({})).await;
    let ids = [
        id.as_str(),
        NO_EVENT,
        "x",
        "0198c0de00007000800000000000000a",
    ];
    let mut answers = BTreeSet::new();
    let mut tools = BTreeSet::new();
    for id in ids {
        let write = json!({ "event_id": id, "expected_revision": 1 });
        for answer in [
            author.get(&format!("/api/eventos/{id}")).await,
            author.post("/api/draft", write.clone()).await,
            author.post("/api/enviar", write.clone()).await,
        ] {
            answers.insert(answer.expect_refusal(404, "NOT_FOUND").text);
        }
        tools.insert(
            author
                .call_tool("get_event", json!({ "eventId": id }))
                .await
                .text,
        );
        tools.insert(author.call_tool("save_draft", write.clone()).await.text);
        tools.insert(author.call_tool("submit_for_approval", write).await.text);
    }
    assert_eq!(
        (answers.len(), tools.len()),
        (1, 1),
        "{answers:?} {tools:?}"
    );

    // A caller who sees everything gets the same answer for events that do not exist.
    for id in &ids[1..] {
        let decision = json!({ "event_id": id, "action": "aprovar" });
        answers.insert(
            lead.post("/api/aprovar", decision)
                .await
                .expect_refusal(404, "NOT_FOUND")
                .text,
        );
        let patch = json!({ "expected_revision": 1, "title": "x" });
        let answer = lead.patch(&format!("/api/eventos/{id}"), patch).await;
        answers.insert(answer.expect_refusal(404, "NOT_FOUND").text);
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(lead.load_event(&id).await["api_revision"], 1);
}

#[tokio::test]
async fn an_id_is_found_in_upper_or_lower_case() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    assert_eq!(lead.load_event(&id.to_uppercase()).await["id"], id.as_str());
}

#[tokio::test]
async fn an_event_disappears_for_its_former_assignee() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let author = app.token_client(&member).await;
    let id = lead
        .create_demand(json!({ "assignee_id": member.id }))
        .await;
    let lists = ["/api/eventos", "/api/tarefas", "/api/anexaveis"];
    for list in lists {
        assert_eq!(list_titles(&author, list).await.len(), 1, "{list}");
    }
    let away = json!({ "expected_revision": 1, "assignee_ids": [] });
    lead.patch(&format!("/api/eventos/{id}"), away)
        .await
        .expect(200);
    for list in lists {
        assert_eq!(list_titles(&author, list).await.len(), 0, "{list}");
    }
    author
        .get(&format!("/api/eventos/{id}"))
        .await
        .expect_refusal(404, "NOT_FOUND");
    let draft = json!({ "event_id": id, "expected_revision": 2 });
    author
        .post("/api/draft", draft)
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn the_role_and_not_the_level_decides_which_events_a_token_sees() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    lead.create_demand(json!({})).await;
    let reader = app.add_member_with(Role::Lider, Level::Leitor, false).await;
    let token = app
        .token_client_with(&reader, &[Capability::TasksView])
        .await
        .0;
    assert_eq!(list_titles(&token, "/api/eventos").await.len(), 1);
    let draft = json!({ "event_id": NO_EVENT, "expected_revision": 1 });
    token
        .post("/api/draft", draft)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
}
