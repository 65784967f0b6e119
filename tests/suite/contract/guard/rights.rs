//! Each credential can call exactly what its rights allow.

use std::collections::BTreeSet;

use axum::http::Method;
use domain::{Capability, Level, Role};
use serde_json::json;

use super::{
    Auth, Built, Verdict, assert_refused_with_401, assert_unknown_tool, call_with_unknown_field,
    capabilities_up_to, expected_verdict, guarded_routes, session_capabilities, token_capabilities,
    tools_where, visible_tools,
};
use crate::{
    contract::Published,
    support::{Client, TestApp},
};

#[tokio::test]
async fn the_rights_of_a_criador_are_those_of_the_contract() {
    assert_every_right_of(Role::Criador).await;
}

#[tokio::test]
async fn the_rights_of_a_lider_are_those_of_the_contract() {
    assert_every_right_of(Role::Lider).await;
}

#[tokio::test]
async fn the_rights_of_an_admin_are_those_of_the_contract() {
    assert_every_right_of(Role::Admin).await;
}

/// Checks the role at every API level, with and without `financeiro`, by session and by token, on
/// every route.
async fn assert_every_right_of(role: Role) {
    let app = TestApp::new().await;
    for level in Level::ALL.iter().copied() {
        for financeiro in [false, true] {
            let member = app.add_member_with(role, level, financeiro).await;
            let who = format!("{role}, {level}, financeiro {financeiro}");
            let session = app.session_client(&member).await;
            let may = session_capabilities(role, financeiro);
            assert_exactly_these_rights(&session, &may, true, &format!("session of {who}")).await;
            let token = app.token_client(&member).await;
            let may = token_capabilities(role, level, financeiro);
            assert_exactly_these_rights(&token, &may, false, &format!("token of {who}")).await;
        }
    }
}

async fn assert_exactly_these_rights(
    client: &Client,
    may: &BTreeSet<&'static str>,
    is_session: bool,
    who: &str,
) {
    let caps = client.get("/api/me").await.expect(200).body["caps"].clone();
    let caps: BTreeSet<&str> = caps
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| c.as_str().expect("text"))
        .collect();
    assert_eq!(&caps, may, "{who}");
    for built in guarded_routes() {
        let what = format!("{who}: {}", built.operation_id);
        let answer = call_with_unknown_field(client, &built).await;
        let found = (answer.status, answer.error_code());
        match expected_verdict(&built.access_rule(), may, is_session) {
            Verdict::SessionRequired => {
                assert_eq!(found, (403, "SESSION_REQUIRED"), "{what}: {}", answer.text);
            }
            Verdict::Lacks(capability) => {
                assert_eq!(
                    found,
                    (403, "CAPABILITY_REQUIRED"),
                    "{what}: {}",
                    answer.text
                );
                assert_eq!(answer.body["details"]["capability"], capability, "{what}");
            }
            Verdict::Allowed if built.raw => {
                assert!(
                    ![401, 403, 405].contains(&answer.status),
                    "{what}: {}",
                    answer.text
                );
            }
            Verdict::Allowed => {
                assert_eq!(found, (400, "INVALID_INPUT"), "{what}: {}", answer.text);
                assert!(
                    answer.invalid_fields().contains(&"campo_que_nao_existe"),
                    "{what}"
                );
            }
        }
    }
    assert_eq!(
        client.tool_names().await,
        visible_tools(may, is_session),
        "{who}: tools/list"
    );
}

#[tokio::test]
async fn an_empty_call_with_every_right_returns_a_declared_status() {
    let app = TestApp::new().await;
    let published = Published::load(&app).await;
    let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    for built in Built::all_routes() {
        // Some routes end the session of their caller.
        let session = app.session_client(&member).await;
        let method: Method = built.method.parse().expect("a method");
        let body = built.has_body().then(|| "{}".into());
        let answer = session.send(method, &built.concrete_path(), body).await;
        let what = format!("{}: {} {}", built.operation_id, answer.status, answer.text);
        if built.access_rule().auth.requires_member() {
            assert!(![401, 403].contains(&answer.status), "{what}");
        }
        assert!(answer.status < 500, "{what}");
        let declared = &published.openapi_operation(built.method, built.path)["responses"];
        assert!(
            !declared[answer.status.to_string()].is_null(),
            "{what} is not declared"
        );
    }
}

#[tokio::test]
async fn a_tool_outside_the_rights_cannot_be_called() {
    let app = TestApp::new().await;
    let member = app.add_member_with(Role::Admin, Level::Leitor, false).await;
    let token = app.token_client(&member).await;
    let visible = token.tool_names().await;
    let withheld = tools_where(|rule| {
        rule.tool
            .is_some_and(|tool| !visible.contains(&tool.into()))
    });
    assert!(!withheld.is_empty() && !visible.is_empty());
    for tool in withheld {
        assert_unknown_tool(&token, &tool).await;
    }
    for tool in visible {
        let answer = token
            .call_tool(&tool, json!({ "campo_que_nao_existe": true }))
            .await;
        assert!(
            answer.is_error && answer.text.starts_with("INVALID_INPUT: "),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn a_token_of_one_scope_sees_the_tools_of_that_scope_and_get_me() {
    let app = TestApp::new().await;
    let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    for capability in Capability::ALL {
        let (token, _) = app.token_client_with(&member, &[*capability]).await;
        let expected = tools_where(|rule| match rule.auth {
            Auth::SessionOrToken => {
                rule.capabilities.is_empty() || rule.capabilities.contains(&capability.as_str())
            }
            _ => false,
        });
        assert_eq!(token.tool_names().await, expected, "{capability}");
        assert!(expected.contains(&"get_me".to_owned()), "{capability}");
    }
}

#[tokio::test]
async fn a_lowered_level_applies_from_the_next_call() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let token = app.token_client(&member).await;
    let path = format!("/api/access/members/{}", member.id);
    for level in ["criador", "leitor"] {
        admin
            .patch(&path, json!({ "api_access_level": level }))
            .await
            .expect(200);
        assert_eq!(
            token.tool_names().await,
            visible_tools(&capabilities_up_to(level), false),
            "{level}"
        );
    }
    admin
        .patch(&path, json!({ "api_access_level": "nenhum" }))
        .await
        .expect(200);
    let answer = token.send_rpc("tools/list", json!({})).await;
    assert_refused_with_401(answer, "TOKEN_REVOKED", "nenhum revokes");
}
