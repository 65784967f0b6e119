//! An authorization code is valid once, for a minute, and only for its client, redirect URI,
//! verifier and resource.

use domain::{Role, time::MINUTE};
use futures::future::join_all;
use serde_json::json;

use super::{
    CALLBACK, Request, agent_client, assert_oauth_error, exchange_fields, grant_code,
    register_client, request_token,
};
use crate::support::TestApp;

#[tokio::test]
async fn using_a_code_twice_revokes_the_agent_that_it_connected() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let code = grant_code(&app, &member, &Request::for_client(&client_id, CALLBACK)).await;
    let fields = exchange_fields(&client_id, CALLBACK, &code);
    let tokens = request_token(&app.anonymous(), &fields)
        .await
        .expect(200)
        .body;
    agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
    assert_oauth_error(
        request_token(&app.anonymous(), &fields).await,
        400,
        "invalid_grant",
    );
    let ended = agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await;
    ended.expect_refusal(401, "TOKEN_REVOKED");
    let renewal = [
        ("grant_type", "refresh_token"),
        ("client_id", &*client_id),
        (
            "refresh_token",
            tokens["refresh_token"].as_str().expect("a token"),
        ),
    ];
    assert_oauth_error(
        request_token(&app.anonymous(), &renewal).await,
        400,
        "invalid_grant",
    );
}

#[tokio::test]
async fn at_most_one_of_many_simultaneous_uses_of_a_code_succeeds() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let code = grant_code(&app, &member, &Request::for_client(&client_id, CALLBACK)).await;
    let fields = exchange_fields(&client_id, CALLBACK, &code);
    let anonymous = app.anonymous();
    let uses = (0..20).map(|_| request_token(&anonymous, &fields));
    let answers = join_all(uses).await;
    let given: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status == 200)
        .collect();
    assert_eq!(given.len(), 1);
    let ended = agent_client(&app, &given[0].body)
        .send_rpc("tools/list", json!({}))
        .await;
    ended.expect_refusal(401, "TOKEN_REVOKED");
}

#[tokio::test]
async fn a_code_is_valid_only_for_its_client_redirect_uri_verifier_and_resource() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let other_address = "https://cliente.test/outro";
    let asked = json!({
        "client_name": "Assistente", "redirect_uris": [CALLBACK, other_address],
    });
    let registered = app
        .anonymous()
        .post("/register", asked)
        .await
        .expect(201)
        .body;
    let client_id = registered["client_id"].as_str().expect("an id");
    let other = register_client(&app, CALLBACK).await;
    let code = grant_code(&app, &member, &Request::for_client(client_id, CALLBACK)).await;
    let right = exchange_fields(client_id, CALLBACK, &code);
    let changed = |name: &str, value: &'static str| {
        let mut fields = right.clone();
        for field in &mut fields {
            if field.0 == name {
                field.1 = value;
            }
        }
        fields
    };
    let anonymous = app.anonymous();
    let verifier = "outro-texto-que-o-cliente-nao-conhece-0123456789";
    for (fields, error) in [
        (exchange_fields(&other, CALLBACK, &code), "invalid_grant"),
        (changed("redirect_uri", other_address), "invalid_grant"),
        (changed("code_verifier", verifier), "invalid_grant"),
        (changed("code_verifier", "curto"), "invalid_grant"),
        (
            changed("resource", "https://outra.test/api/mcp"),
            "invalid_target",
        ),
        (changed("code", "desconhecido"), "invalid_grant"),
        (changed("grant_type", "password"), "unsupported_grant_type"),
        (changed("resource", ""), "invalid_target"),
        (changed("code_verifier", ""), "invalid_request"),
    ] {
        assert_oauth_error(request_token(&anonymous, &fields).await, 400, error);
    }
    let unknown = exchange_fields("desconhecido", CALLBACK, &code);
    assert_oauth_error(
        request_token(&anonymous, &unknown).await,
        401,
        "invalid_client",
    );
    // None of these refused requests used up the code.
    request_token(&anonymous, &right).await.expect(200);
}

#[tokio::test]
async fn a_code_is_valid_for_a_minute_and_while_its_person_is_a_member() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let request = Request::for_client(&client_id, CALLBACK);
    let late = grant_code(&app, &member, &request).await;
    app.advance_clock(MINUTE);
    let fields = exchange_fields(&client_id, CALLBACK, &late);
    assert_oauth_error(
        request_token(&app.anonymous(), &fields).await,
        400,
        "invalid_grant",
    );

    let code = grant_code(&app, &member, &request).await;
    let admin = app.as_member(Role::Admin).await;
    let path = format!("/api/membros/{}", member.id);
    admin.delete(&path).await.expect(200);
    let fields = exchange_fields(&client_id, CALLBACK, &code);
    assert_oauth_error(
        request_token(&app.anonymous(), &fields).await,
        400,
        "invalid_grant",
    );
}

#[tokio::test]
async fn unknown_parameters_are_ignored_and_repeated_ones_refused() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let request = Request::for_client(&client_id, CALLBACK)
        .with_parameter("nonce", "x")
        .with_parameter("max_age", "0");
    let code = grant_code(&app, &member, &request).await;
    let mut fields = exchange_fields(&client_id, CALLBACK, &code);
    fields.push(("client_assertion_type", "x"));
    let mut twice = fields.clone();
    twice.push(("code", &code));
    assert_oauth_error(
        request_token(&app.anonymous(), &twice).await,
        400,
        "invalid_request",
    );
    request_token(&app.anonymous(), &fields).await.expect(200);
}
