//! Which callers may get the stored answer of a key.

use domain::Role;
use serde_json::json;

use super::{CREATE, DRAFT, Interface, SUBMIT, call_operation};
use crate::support::{Client, TestApp};

#[tokio::test]
async fn a_replay_needs_the_capability_that_the_call_needed() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let (session, agent) = (
        app.session_client(&member).await,
        app.token_client(&member).await,
    );
    let input = || json!({ "title": "A" });
    let key = || Some("chave-0001".to_owned());
    let first = call_operation(session.clone(), Interface::Rest, CREATE, input(), key()).await;
    let set_role = async |role: &str| {
        let change = json!({ "member_id": member.id, "access_level": role });
        admin.patch("/api/membros", change).await.expect(200);
    };

    set_role("criador").await;
    for client in [&session, &agent] {
        let refused = call_operation(client.clone(), Interface::Rest, CREATE, input(), key()).await;
        assert_eq!(refused.code.as_deref(), Some("CAPABILITY_REQUIRED"));
    }
    let withheld = agent
        .call_tool("create_demand", json!({ "title": "A" }))
        .await;
    assert_eq!(withheld.rpc_error, Some(-32602));

    set_role("lider").await;
    for interface in [Interface::Rest, Interface::Mcp] {
        assert_eq!(
            call_operation(agent.clone(), interface, CREATE, input(), key())
                .await
                .text,
            first.text
        );
    }
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test]
async fn a_replay_needs_the_level_that_the_call_needed() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let agent = app.token_client(&member).await;
    let key = || Some("chave-0001".to_owned());
    let first = call_operation(
        agent.clone(),
        Interface::Rest,
        CREATE,
        json!({ "title": "A" }),
        key(),
    )
    .await;
    assert!(first.is_ok());
    let path = format!("/api/access/members/{}", member.id);
    admin
        .patch(&path, json!({ "api_access_level": "criador" }))
        .await
        .expect(200);
    let refused = call_operation(
        agent,
        Interface::Rest,
        CREATE,
        json!({ "title": "A" }),
        key(),
    )
    .await;
    assert_eq!(refused.code.as_deref(), Some("CAPABILITY_REQUIRED"));
}

#[tokio::test]
async fn a_replay_needs_the_event_to_be_still_visible() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let author = app.session_client(&member).await;
    let id = lead
        .create_demand(json!({ "assignee_id": member.id }))
        .await;
    let path = format!("/api/eventos/{id}");
    let key = || Some("chave-0001".to_owned());
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "x" });
    let drafted =
        call_operation(author.clone(), Interface::Rest, DRAFT, draft.clone(), key()).await;
    let submit = json!({ "event_id": id, "expected_revision": 2 });
    let sent = call_operation(
        author.clone(),
        Interface::Mcp,
        SUBMIT,
        submit.clone(),
        key(),
    )
    .await;
    assert!(drafted.is_ok() && sent.is_ok());

    let away = json!({ "expected_revision": 3, "assignee_ids": [] });
    lead.patch(&path, away).await.expect(200);
    for interface in [Interface::Rest, Interface::Mcp] {
        for (call, input) in [(DRAFT, &draft), (SUBMIT, &submit)] {
            let hidden =
                call_operation(author.clone(), interface, call, input.clone(), key()).await;
            assert_eq!(hidden.code.as_deref(), Some("NOT_FOUND"), "{}", hidden.text);
        }
    }

    let back = json!({ "expected_revision": 4, "assignee_ids": [member.id] });
    lead.patch(&path, back).await.expect(200);
    for interface in [Interface::Rest, Interface::Mcp] {
        let replay = call_operation(author.clone(), interface, DRAFT, draft.clone(), key()).await;
        assert_eq!(replay.text, drafted.text);
        let replay = call_operation(author.clone(), interface, SUBMIT, submit.clone(), key()).await;
        assert_eq!(replay.text, sent.text);
    }
    assert_eq!(lead.load_event(&id).await["api_revision"], 5);
}

#[tokio::test]
async fn an_offboarded_member_gets_no_replay() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let (session, agent) = (
        app.session_client(&member).await,
        app.token_client(&member).await,
    );
    session
        .with_idempotency_key("chave-0001")
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);
    admin
        .delete(&format!("/api/membros/{}", member.id))
        .await
        .expect(200);
    let again = |client: &Client| client.with_idempotency_key("chave-0001");
    let input = json!({ "title": "A" });
    again(&session)
        .post("/api/demanda", input.clone())
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
    again(&agent)
        .post("/api/demanda", input)
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
}
