//! Refresh tokens: an agent has only one valid token family at a time, even if clients or thieves
//! repeat renewals.

use std::collections::BTreeSet;

use domain::time::SECOND;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{agent_client, assert_oauth_error, request_token, service_with_agent};
use crate::support::{Answer, TestApp};

async fn renew_tokens(app: &TestApp, client_id: &str, tokens: &Value) -> Answer {
    let fields = [
        ("grant_type", "refresh_token"),
        ("client_id", client_id),
        (
            "refresh_token",
            tokens["refresh_token"].as_str().expect("a token"),
        ),
    ];
    request_token(&app.anonymous(), &fields).await
}

#[tokio::test]
async fn fifty_renewals_with_one_token_leave_one_valid_token_family() {
    let (app, _, client_id, first) = service_with_agent().await;
    let answers = join_all((0..50).map(|_| renew_tokens(&app, &client_id, &first))).await;
    let tokens: BTreeSet<String> = answers
        .iter()
        .map(|answer| {
            assert_eq!(answer.status, 200, "{}", answer.text);
            answer.body["access_token"].to_string() + &answer.body["refresh_token"].to_string()
        })
        .collect();
    assert_eq!(tokens.len(), 1, "all answers must have the same token pair");
    let second = answers[0].body.clone();
    assert_ne!(second["refresh_token"], first["refresh_token"]);
    agent_client(&app, &second)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
    renew_tokens(&app, &client_id, &second).await.expect(200);
}

#[tokio::test]
async fn a_repeated_renewal_returns_the_same_refresh_token_for_ten_seconds() {
    let (app, _, client_id, first) = service_with_agent().await;
    let second = renew_tokens(&app, &client_id, &first)
        .await
        .expect(200)
        .body;
    app.advance_clock(10 * SECOND);
    let again = renew_tokens(&app, &client_id, &first)
        .await
        .expect(200)
        .body;
    assert_eq!(again["refresh_token"], second["refresh_token"]);
    assert_eq!(again["expires_in"], 24 * 3600);
    agent_client(&app, &again)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
}

#[tokio::test]
async fn two_addresses_of_one_client_can_renew_at_the_same_time() {
    let (app, _, client_id, first) = service_with_agent().await;
    let from = |address: &'static str| {
        let client = app.anonymous().with_address(address);
        let (client_id, tokens) = (client_id.clone(), first.clone());
        async move {
            let token = tokens["refresh_token"].as_str().expect("a token");
            let fields = [
                ("grant_type", "refresh_token"),
                ("client_id", client_id.as_str()),
                ("refresh_token", token),
            ];
            request_token(&client, &fields).await.expect(200).body
        }
    };
    let (one, other) = futures::join!(from("203.0.113.7"), from("198.51.100.9"));
    for tokens in [&one, &other] {
        agent_client(&app, tokens)
            .send_rpc("tools/list", json!({}))
            .await
            .expect(200);
    }
    renew_tokens(&app, &client_id, &other).await.expect(200);
}

#[tokio::test]
async fn a_refresh_token_that_is_reused_later_ends_the_agent() {
    for (uses_access, renews) in [(false, false), (true, false), (false, true)] {
        let (app, member, client_id, first) = service_with_agent().await;
        let second = renew_tokens(&app, &client_id, &first)
            .await
            .expect(200)
            .body;
        if uses_access {
            agent_client(&app, &second)
                .send_rpc("tools/list", json!({}))
                .await
                .expect(200);
        }
        if renews {
            renew_tokens(&app, &client_id, &second).await.expect(200);
        }
        app.advance_clock(10 * SECOND + 1);
        assert_oauth_error(
            renew_tokens(&app, &client_id, &first).await,
            400,
            "invalid_grant",
        );
        assert_oauth_error(
            renew_tokens(&app, &client_id, &second).await,
            400,
            "invalid_grant",
        );
        let ended = agent_client(&app, &second)
            .send_rpc("tools/list", json!({}))
            .await;
        ended.expect_refusal(401, "TOKEN_REVOKED");
        let mine = app
            .session_client(&member)
            .await
            .get("/api/access/agents")
            .await
            .expect(200);
        assert_eq!(mine.body["agents"][0]["status"], "revoked");
    }
}

#[tokio::test]
async fn a_renewal_needs_its_own_client_id_but_no_resource() {
    let (app, _, client_id, tokens) = service_with_agent().await;
    let other = super::register_client(&app, super::CALLBACK).await;
    assert_oauth_error(
        renew_tokens(&app, &other, &tokens).await,
        400,
        "invalid_grant",
    );
    let token = tokens["refresh_token"].as_str().expect("a token");
    let fields = |resource: &'static str| {
        [
            ("grant_type", "refresh_token"),
            ("client_id", client_id.as_str()),
            ("refresh_token", token),
            ("resource", resource),
        ]
    };
    let elsewhere = fields("https://outra.test/api/mcp");
    assert_oauth_error(
        request_token(&app.anonymous(), &elsewhere).await,
        400,
        "invalid_target",
    );
    let narrowed = fields("http://127.0.0.1:8080/api/mcp?toolsets=workflow");
    request_token(&app.anonymous(), &narrowed).await.expect(200);
}
