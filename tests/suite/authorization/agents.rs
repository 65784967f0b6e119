//! The list of connected agents, and their revocation.

use domain::{
    Role,
    time::{MINUTE, SECOND},
};
use serde_json::json;

use super::{agent_client, assert_oauth_error, connect_agent, request_token, service_with_agent};
use crate::support::TestApp;

#[tokio::test]
async fn a_member_lists_and_revokes_their_agents() {
    let (app, member, client_id, tokens) = service_with_agent().await;
    let session = app.session_client(&member).await;
    agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
    let services = &app.app.gateway.services;
    services
        .reads
        .flush(&services.db, app.now(), true)
        .await
        .expect("written");
    let mine = session.get("/api/access/agents").await.expect(200).body;
    let seen = &mine["agents"][0];
    assert_eq!(seen["client_name"], "Assistente");
    assert_eq!(seen["client_id"], client_id);
    assert_eq!(seen["redirect_host"], "cliente.test");
    assert_eq!(seen["status"], "active");
    assert!(seen["last_used_at"].is_string(), "{seen}");
    // Agents do not count as personal tokens.
    let me = session.get("/api/access/me").await.expect(200).body;
    assert_eq!(me["token_count"], 0);

    let path = format!("/api/access/agents/{}", seen["id"].as_str().expect("an id"));
    let other = app.as_member(Role::Lider).await;
    other.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    for _ in 0..2 {
        let ended = session.delete(&path).await.expect(200).body;
        assert_eq!(ended["agent"]["status"], "revoked");
    }
    let over = agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await;
    over.expect_refusal(401, "TOKEN_REVOKED");
}

#[tokio::test]
async fn an_admin_lists_and_revokes_the_agents_of_others() {
    let (app, member, _, tokens) = service_with_agent().await;
    let admin = app.as_member(Role::Admin).await;
    let all = admin.get("/api/access/members").await.expect(200).body;
    let members = all["members"].as_array().expect("members");
    let theirs = members
        .iter()
        .find(|m| m["id"] == member.id.as_str())
        .expect("listed");
    let id = theirs["agents"][0]["id"].as_str().expect("an agent");
    let path = format!("/api/access/members/{}/agents/{id}", member.id);
    admin.delete(&path).await.expect(200);
    let over = agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await;
    over.expect_refusal(401, "TOKEN_REVOKED");
}

#[tokio::test]
async fn revoking_all_personal_tokens_also_revokes_all_agents() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let level = app.add_member(Role::Lider).await;
    let password = app.add_member(Role::Lider).await;
    let gone = app.add_member(Role::Lider).await;
    let mut held = vec![];
    for member in [&level, &password, &gone] {
        held.push(agent_client(&app, &connect_agent(&app, member).await.1));
    }
    let path = |id: &domain::MemberId| format!("/api/access/members/{id}");
    let nothing = json!({ "api_access_level": "nenhum" });
    admin.patch(&path(&level.id), nothing).await.expect(200);
    let new = json!({ "senha": "lagoa-trem-girafa-vinil" });
    let at = format!("/api/membros/{}/senha", password.id);
    admin.post(&at, new).await.expect(200);
    admin
        .delete(&format!("/api/membros/{}", gone.id))
        .await
        .expect(200);
    for agent in held {
        agent
            .send_rpc("tools/list", json!({}))
            .await
            .expect_refusal(401, "TOKEN_REVOKED");
    }
}

#[tokio::test]
async fn a_client_revokes_its_own_access() {
    for kind in ["access_token", "refresh_token"] {
        let (app, _, client_id, tokens) = service_with_agent().await;
        let token = tokens[kind].as_str().expect("a token");
        let fields = |client: &str, token: &str| {
            [
                ("client_id", client.to_owned()),
                ("token", token.to_owned()),
            ]
        };
        let other = super::register_client(&app, super::CALLBACK).await;
        let anonymous = app.anonymous();
        anonymous
            .post_form("/revoke", &fields(&other, token))
            .await
            .expect(200);
        anonymous
            .post_form("/revoke", &fields(&client_id, "x"))
            .await
            .expect(200);
        agent_client(&app, &tokens)
            .send_rpc("tools/list", json!({}))
            .await
            .expect(200);
        let unknown = anonymous.post_form("/revoke", &fields("x", token)).await;
        assert_oauth_error(unknown, 401, "invalid_client");
        anonymous
            .post_form("/revoke", &fields(&client_id, token))
            .await
            .expect(200);
        let over = agent_client(&app, &tokens)
            .send_rpc("tools/list", json!({}))
            .await;
        over.expect_refusal(401, "TOKEN_REVOKED");
    }
}

#[tokio::test]
async fn the_audit_trail_records_grants_and_their_use() {
    let (app, member, client_id, tokens) = service_with_agent().await;
    let held = agent_client(&app, &tokens);
    let draft = json!({ "templateId": "festa.junina", "html": "<p>Oi</p>" });
    let made = held.call_tool("put_email_draft", draft).await;
    assert!(!made.is_error, "{}", made.text);
    let renewal = [
        ("grant_type", "refresh_token"),
        ("client_id", &*client_id),
        (
            "refresh_token",
            tokens["refresh_token"].as_str().expect("a token"),
        ),
    ];
    let renewed = request_token(&app.anonymous(), &renewal)
        .await
        .expect(200)
        .body;
    agent_client(&app, &renewed)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
    app.advance_clock(11 * SECOND);
    assert_oauth_error(
        request_token(&app.anonymous(), &renewal).await,
        400,
        "invalid_grant",
    );
    app.advance_clock(2 * MINUTE);
    let admin = app.as_member(Role::Admin).await;
    let trail = admin.get("/api/access/audit?limit=200").await.expect(200);
    let rows = trail.body["audit"].as_array().expect("rows").clone();
    let row = |action: &str| {
        let found = rows.iter().find(|row| row["action"] == action);
        found
            .unwrap_or_else(|| panic!("no {action} in {}", trail.text))
            .clone()
    };
    let allowed = row("authorize_agent");
    assert_eq!(allowed["actor_member_id"], member.id.as_str());
    assert_eq!(allowed["auth_method"], "session");
    assert_eq!(allowed["metadata"]["client_id"], client_id);
    for action in [
        "issue_agent_token",
        "renew_agent_token",
        "agent_token_reuse",
        "put_email_draft",
    ] {
        let row = row(action);
        assert_eq!(row["auth_method"], "connected_agent", "{action}");
        assert_eq!(row["actor_member_id"], member.id.as_str(), "{action}");
    }
    for secret in [&tokens["access_token"], &tokens["refresh_token"]] {
        assert!(!trail.text.contains(secret.as_str().expect("text")));
    }
}
