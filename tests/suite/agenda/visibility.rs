//! The visibility of events: a member sees the events that they created or are assigned to, and
//! learns nothing from an answer about others.

use std::collections::BTreeSet;

use domain::{Capability, Level, Role};
use serde_json::json;

use super::{NO_EVENT, titles};
use crate::support::TestApp;

#[tokio::test]
async fn a_criador_finds_only_what_they_made_or_were_given() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.member(Role::Lider).await;
    let author = app.session(&member).await;
    author.demand(json!({ "title": "Criado" })).await;
    let change = json!({ "member_id": member.id, "access_level": "criador" });
    admin.patch("/api/membros", change).await.expect(200);
    admin
        .demand(json!({ "title": "Atribuído", "assignee_id": member.id }))
        .await;
    let hidden = admin.demand(json!({ "title": "Alheio" })).await;

    let token = app.token(&member).await;
    for client in [&author, &token] {
        let seen: BTreeSet<_> = titles(client, "/api/eventos").await.into_iter().collect();
        assert_eq!(seen, BTreeSet::from(["Criado".into(), "Atribuído".into()]));
        let seen: BTreeSet<_> = titles(client, "/api/anexaveis").await.into_iter().collect();
        assert_eq!(seen.len(), 2);
        assert_eq!(titles(client, "/api/tarefas").await, ["Atribuído"]);
        assert_eq!(titles(client, "/api/eventos?q=alheio").await, [""; 0]);
        client
            .get(&format!("/api/eventos/{hidden}"))
            .await
            .refused(404, "NOT_FOUND");
    }
    for role in [Role::Lider, Role::Admin] {
        assert_eq!(
            titles(&app.as_member(role).await, "/api/eventos")
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
    let id = lead.demand(json!({})).await;
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
            answers.insert(answer.refused(404, "NOT_FOUND").text);
        }
        tools.insert(
            author
                .call("get_event", json!({ "eventId": id }))
                .await
                .text,
        );
        tools.insert(author.call("save_draft", write.clone()).await.text);
        tools.insert(author.call("submit_for_approval", write).await.text);
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
                .refused(404, "NOT_FOUND")
                .text,
        );
        let patch = json!({ "expected_revision": 1, "title": "x" });
        let answer = lead.patch(&format!("/api/eventos/{id}"), patch).await;
        answers.insert(answer.refused(404, "NOT_FOUND").text);
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(lead.event(&id).await["api_revision"], 1);
}

#[tokio::test]
async fn an_id_is_found_whatever_its_case() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
    assert_eq!(lead.event(&id.to_uppercase()).await["id"], id.as_str());
}

#[tokio::test]
async fn an_event_reassigned_away_disappears_everywhere() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.member(Role::Criador).await;
    let author = app.token(&member).await;
    let id = lead.demand(json!({ "assignee_id": member.id })).await;
    let lists = ["/api/eventos", "/api/tarefas", "/api/anexaveis"];
    for list in lists {
        assert_eq!(titles(&author, list).await.len(), 1, "{list}");
    }
    let away = json!({ "expected_revision": 1, "assignee_ids": [] });
    lead.patch(&format!("/api/eventos/{id}"), away)
        .await
        .expect(200);
    for list in lists {
        assert_eq!(titles(&author, list).await.len(), 0, "{list}");
    }
    author
        .get(&format!("/api/eventos/{id}"))
        .await
        .refused(404, "NOT_FOUND");
    let draft = json!({ "event_id": id, "expected_revision": 2 });
    author
        .post("/api/draft", draft)
        .await
        .refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn what_a_token_sees_follows_the_role_and_not_its_level() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    lead.demand(json!({})).await;
    let reader = app.member_with(Role::Lider, Level::Leitor, false).await;
    let token = app.token_with(&reader, &[Capability::TasksView]).await.0;
    assert_eq!(titles(&token, "/api/eventos").await.len(), 1);
    let draft = json!({ "event_id": NO_EVENT, "expected_revision": 1 });
    token
        .post("/api/draft", draft)
        .await
        .refused(403, "CAPABILITY_REQUIRED");
}
