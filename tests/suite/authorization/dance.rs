//! The whole OAuth flow, from the first refusal to the first tool call.

use domain::{Role, time::MINUTE};
use serde_json::json;

use super::{
    Browser, CALLBACK, RESOURCE, Request, URL, agent_client, assert_oauth_error, exchange_fields,
    query_parameters, redirect_location, register_client, request_token, service_with_agent,
};
use crate::{
    sign_in::{PASSWORD, team_with_bia},
    support::TestApp,
};

#[tokio::test]
async fn a_refusal_names_the_metadata_and_the_metadata_describes_the_endpoints() {
    let app = TestApp::new().await;
    let absent = app
        .anonymous()
        .send_rpc("tools/list", json!({}))
        .await
        .expect(401);
    let at = format!("{URL}/.well-known/oauth-protected-resource/api/mcp");
    let scopes = "scope=\"leitor criador lider admin vendas\"";
    assert_eq!(
        absent.headers["www-authenticate"],
        format!("Bearer resource_metadata=\"{at}\", {scopes}")
    );
    let wrong = app
        .bearer("svc_agent_x")
        .send_rpc("tools/list", json!({}))
        .await
        .expect(401);
    let challenge = wrong.headers["www-authenticate"].to_str().expect("text");
    assert!(challenge.starts_with("Bearer error=\"invalid_token\", resource_metadata="));
    assert_eq!(
        app.anonymous().get("/api/me").await.headers["www-authenticate"],
        "Bearer"
    );

    for path in [
        "/.well-known/oauth-protected-resource/api/mcp",
        "/.well-known/oauth-protected-resource",
    ] {
        let found = app.anonymous().get(path).await.expect(200);
        assert_eq!(found.headers["access-control-allow-origin"], "*");
        assert_eq!(found.headers["cache-control"], "public, max-age=3600");
        assert_eq!(found.headers["content-type"], "application/json");
        assert_eq!(found.body["resource"], RESOURCE);
        assert_eq!(found.body["authorization_servers"], json!([URL]));
        assert_eq!(found.body["bearer_methods_supported"], json!(["header"]));
        let scopes = found.body["scopes_supported"].as_array().expect("a list");
        assert!(!scopes.contains(&json!("offline_access")));
    }
    for path in [
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/api/mcp",
        "/.well-known/oauth-authorization-server/mcp",
    ] {
        let found = app.anonymous().get(path).await.expect(200);
        assert_eq!(found.headers["access-control-allow-origin"], "*");
        let told = &found.body;
        assert_eq!(told["issuer"], URL);
        assert_eq!(told["authorization_endpoint"], format!("{URL}/authorize"));
        assert_eq!(told["token_endpoint"], format!("{URL}/token"));
        assert_eq!(told["registration_endpoint"], format!("{URL}/register"));
        assert_eq!(told["revocation_endpoint"], format!("{URL}/revoke"));
        assert_eq!(told["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(told["client_id_metadata_document_supported"], true);
        assert_eq!(told["authorization_response_iss_parameter_supported"], true);
        let methods = told["token_endpoint_auth_methods_supported"].as_array();
        assert!(methods.expect("a list").contains(&json!("none")));
    }
    app.anonymous()
        .get("/.well-known/openid-configuration")
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn the_alias_of_the_endpoint_has_its_own_metadata_and_accepts_the_same_tokens() {
    let (app, _, client_id, tokens) = service_with_agent().await;
    let at = format!("{URL}/.well-known/oauth-protected-resource/mcp");
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let absent = app.anonymous().post("/mcp", list.clone()).await.expect(401);
    let challenge = absent.headers["www-authenticate"].to_str().expect("text");
    assert!(
        challenge.contains(&format!("resource_metadata=\"{at}\"")),
        "{challenge}"
    );
    let path = at.strip_prefix(URL).expect("a URL of this service");
    let metadata = app.anonymous().get(path).await.expect(200);
    assert_eq!(metadata.headers["access-control-allow-origin"], "*");
    assert_eq!(metadata.body["resource"], format!("{URL}/mcp"));
    assert_eq!(metadata.body["authorization_servers"], json!([URL]));

    let agent = agent_client(&app, &tokens);
    let whole = agent.post("/api/mcp", list.clone()).await.expect(200);
    assert_eq!(
        agent.post("/mcp", list.clone()).await.expect(200).body,
        whole.body
    );
    agent
        .get("/mcp")
        .await
        .expect_refusal(405, "METHOD_NOT_ALLOWED");

    // A client that discovered the endpoint's alias requests tokens for the URL of the alias.
    let member = app.add_member(Role::Criador).await;
    let alias = format!("{URL}/mcp");
    let request = Request::for_client(&client_id, CALLBACK).with_parameter("resource", &alias);
    let code = super::grant_code(&app, &member, &request).await;
    let mut fields = exchange_fields(&client_id, CALLBACK, &code);
    fields.retain(|(name, _)| *name != "resource");
    fields.push(("resource", &alias));
    let tokens = request_token(&app.anonymous(), &fields)
        .await
        .expect(200)
        .body;
    let agent = super::agent_client(&app, &tokens);
    for path in ["/mcp", "/api/mcp"] {
        agent.post(path, list.clone()).await.expect(200);
    }
}

#[tokio::test]
async fn the_configured_challenge_of_the_openai_apps_directory_is_served() {
    const PATH: &str = "/.well-known/openai-apps-challenge";
    let app = TestApp::new().await;
    app.anonymous()
        .get(PATH)
        .await
        .expect_refusal(404, "NOT_FOUND");
    let setting = ("PAUTA_OPENAI_APPS_CHALLENGE", " prova-123 \n".to_owned());
    let app = TestApp::with_settings([setting]).await;
    let found = app.anonymous().get(PATH).await.expect(200);
    assert_eq!(found.text, "prova-123");
    assert_eq!(found.headers["content-type"], "text/plain; charset=utf-8");
}

#[tokio::test]
async fn an_agent_works_after_a_person_has_signed_in_and_allowed_it() {
    let (app, admin, bia) = team_with_bia().await;
    let path = format!("/api/access/members/{}", bia["id"].as_str().expect("an id"));
    admin
        .patch(&path, json!({ "api_access_level": "criador" }))
        .await
        .expect(200);
    let client_id = register_client(&app, CALLBACK).await;
    let request =
        Request::for_client(&client_id, CALLBACK).with_parameter("scope", "criador offline_access");

    let mut browser = Browser::new(&app);
    let page = browser.get(&request.authorization_path()).await.expect(200);
    assert!(page.text.contains("Entre para continuar"));
    let wrong = browser
        .sign_in(&page, "bia@equipe.test", "errada")
        .await
        .expect(401);
    assert!(wrong.text.contains("E-mail ou senha incorretos."));
    let back = browser
        .sign_in(&wrong, "bia@equipe.test", PASSWORD)
        .await
        .expect(303);
    let back = redirect_location(&back);
    let consent = browser
        .get(back.strip_prefix(URL).expect("a URL of this service"))
        .await
        .expect(200);
    for told in ["Permitir “Assistente”?", "bia@equipe.test", "cliente.test"] {
        assert!(consent.text.contains(told), "{told}: {}", consent.text);
    }
    let sent = browser
        .submit_decision(&consent, "permitir", &[])
        .await
        .expect(302);
    let to = redirect_location(&sent);
    assert!(to.starts_with(&format!("{CALLBACK}?")), "{to}");
    let told = query_parameters(&to);
    assert_eq!(
        (&told["state"], &told["iss"]),
        (&json!("estado-1"), &json!(URL))
    );

    let code = told["code"].as_str().expect("a code");
    let tokens = request_token(
        &app.anonymous(),
        &exchange_fields(&client_id, CALLBACK, code),
    )
    .await;
    let tokens = tokens.expect(200);
    assert_eq!(tokens.headers["cache-control"], "no-store");
    assert_eq!(tokens.body["token_type"], "Bearer");
    assert_eq!(tokens.body["expires_in"], 24 * 3600);
    assert_eq!(tokens.body["scope"], "criador");
    let agent = agent_client(&app, &tokens.body);
    let me = agent.call_tool("get_me", json!({})).await.structured;
    assert_eq!(me["auth"]["kind"], "connected_agent");
    assert_eq!(me["member"]["id"], bia["id"]);
    let tools = agent.tool_names().await;
    assert!(
        tools.contains(&"save_draft".to_owned()) && !tools.contains(&"decide_approval".to_owned())
    );
}

#[tokio::test]
async fn a_denial_is_returned_to_the_client_with_the_issuer() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::with_session(&app, &member).await;
    let page = browser
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await;
    let sent = browser
        .submit_decision(&page, "negar", &[])
        .await
        .expect(302);
    let told = query_parameters(&redirect_location(&sent));
    assert_eq!(told["error"], "access_denied");
    assert_eq!(
        (&told["state"], &told["iss"]),
        (&json!("estado-1"), &json!(URL))
    );
    assert!(told["code"].is_null());
}

#[tokio::test]
async fn the_error_of_an_invalid_request_is_returned_to_an_allowed_client_with_the_issuer() {
    let (app, _, client_id, _) = service_with_agent().await;
    let request = Request::for_client(&client_id, CALLBACK);
    for (wrong, error) in [
        (
            request.clone().with_parameter("response_type", "token"),
            "unsupported_response_type",
        ),
        (
            request.clone().without_parameter("code_challenge"),
            "invalid_request",
        ),
        (
            request
                .clone()
                .with_parameter("code_challenge_method", "plain"),
            "invalid_request",
        ),
        (
            request.clone().without_parameter("code_challenge_method"),
            "invalid_request",
        ),
        (
            request.clone().without_parameter("resource"),
            "invalid_target",
        ),
        (
            request
                .clone()
                .with_parameter("resource", "https://outra.test/api/mcp"),
            "invalid_target",
        ),
    ] {
        let sent = app
            .anonymous()
            .get(&wrong.authorization_path())
            .await
            .expect(302);
        let told = query_parameters(&redirect_location(&sent));
        assert_eq!(told["error"], error);
        assert_eq!(
            (&told["state"], &told["iss"]),
            (&json!("estado-1"), &json!(URL))
        );
    }
}

#[tokio::test]
async fn a_token_is_valid_only_for_the_mcp_endpoint_of_this_installation() {
    let (app, _, client_id, tokens) = service_with_agent().await;
    let held = agent_client(&app, &tokens);
    held.get("/api/me")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    held.send_rpc("tools/list", json!({})).await.expect(200);
    let elsewhere = vec![("PAUTA_PUBLIC_URL", "https://outra.test".to_owned())];
    let other = app.second_instance_with(elsewhere).await;
    let there = held.at_instance(&other).with_header("host", "outra.test");
    there
        .send_rpc("tools/list", json!({}))
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let renewal = [
        ("grant_type", "refresh_token"),
        ("client_id", &*client_id),
        (
            "refresh_token",
            tokens["refresh_token"].as_str().expect("a token"),
        ),
    ];
    assert_oauth_error(
        request_token(&other.anonymous(), &renewal).await,
        400,
        "invalid_grant",
    );
}

#[tokio::test]
async fn an_access_token_expires_after_a_day_and_its_agent_after_thirty_days() {
    let (app, _, client_id, tokens) = service_with_agent().await;
    app.advance_clock(24 * 60 * MINUTE - 1);
    agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
    app.advance_clock(1);
    let over = agent_client(&app, &tokens)
        .send_rpc("tools/list", json!({}))
        .await;
    over.expect_refusal(401, "TOKEN_EXPIRED");
    app.advance_clock(29 * 24 * 60 * MINUTE);
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
