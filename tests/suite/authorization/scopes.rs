//! The capabilities of an agent: requested by the client, ticked by the person, and limited by the
//! member's rights.

use domain::{Level, Role};
use serde_json::{Value, json};
use store::members;

use super::{
    Browser, CALLBACK, Request, agent_client, exchange_fields, query_parameters, redirect_location,
    register_client, request_token, service_with_agent,
};
use crate::support::{Client, TestApp};

/// Grants a new client this scope, with these changes of the consent form; returns the agent and
/// its granted scope.
async fn grant_scope(
    app: &TestApp,
    member: &domain::Member,
    scope: &str,
    changes: &[(&str, &str)],
) -> (Client, String) {
    let client_id = register_client(app, CALLBACK).await;
    let mut browser = Browser::with_session(app, member).await;
    let request = Request::for_client(&client_id, CALLBACK).with_parameter("scope", scope);
    let page = browser.get(&request.authorization_path()).await.expect(200);
    let sent = browser
        .submit_decision(&page, "permitir", changes)
        .await
        .expect(302);
    let told = query_parameters(&redirect_location(&sent));
    let code = told["code"].as_str().expect("a code");
    let tokens = request_token(
        &app.anonymous(),
        &exchange_fields(&client_id, CALLBACK, code),
    )
    .await;
    let tokens = tokens.expect(200).body;
    let scope = tokens["scope"].as_str().expect("text").to_owned();
    (agent_client(app, &tokens), scope)
}

#[tokio::test]
async fn the_consent_page_preselects_only_reading_and_creating() {
    let app = TestApp::new().await;
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let everything = "leitor criador lider admin vendas";
    let (_, granted) = grant_scope(&app, &admin, everything, &[]).await;
    assert_eq!(granted, "criador");
    for (level, scope) in [
        ("leitor", "leitor"),
        (
            "lider",
            "criador approve tasks_assign projects_manage projects_audit_view delete",
        ),
        (
            "admin",
            "criador approve tasks_assign projects_manage projects_audit_view delete config \
             connections team_admin members",
        ),
    ] {
        let (_, granted) = grant_scope(&app, &admin, everything, &[("nivel", level)]).await;
        assert_eq!(granted, scope);
    }
    let marked = [
        ("nivel", "admin"),
        ("admin", "tasks_view config"),
        ("capacidades", "publish vendas"),
    ];
    let (_, granted) = grant_scope(&app, &admin, everything, &marked).await;
    assert_eq!(granted, "tasks_view publish config vendas");
}

#[tokio::test]
async fn nothing_beyond_the_request_or_the_chosen_level_is_granted() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let marked = [
        ("nivel", "admin"),
        ("admin", "tasks_view approve config team_admin vendas"),
        ("capacidades", "publish vendas config"),
    ];
    let (_, granted) = grant_scope(&app, &member, "leitor", &marked).await;
    assert_eq!(granted, "tasks_view");
    let marked = [
        ("nivel", "leitor"),
        ("leitor", "tasks_view approve"),
        ("lider", "approve"),
        ("capacidades", "publish approve"),
    ];
    let (agent, granted) = grant_scope(&app, &member, "lider", &marked).await;
    assert_eq!(granted, "tasks_view");
    let tools = agent.tool_names().await;
    assert!(tools.contains(&"list_events".to_owned()) && !tools.contains(&"save_draft".to_owned()));
}

#[tokio::test]
async fn a_decision_without_capabilities_shows_the_page_again() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut browser = Browser::with_session(&app, &member).await;
    let page = browser
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    let again = browser
        .submit_decision(&page, "permitir", &[("criador", "")])
        .await
        .expect(400);
    assert!(again.text.contains("Marque ao menos uma permissão"));
    browser
        .submit_decision(&again, "permitir", &[("dias", "45")])
        .await
        .expect(400);
    browser
        .submit_decision(&again, "permitir", &[("dias", "7")])
        .await
        .expect(302);
}

#[tokio::test]
async fn the_rights_of_the_member_limit_the_agent_on_every_call() {
    let (app, member, _, tokens) = service_with_agent().await;
    let held = agent_client(&app, &tokens);
    assert!(held.tool_names().await.contains(&"save_draft".to_owned()));
    let mut lowered = member.clone();
    lowered.api_access_level = Level::Leitor;
    let tx = app.begin().await;
    members::update(&tx.conn(), &lowered)
        .await
        .expect("the member is updated");
    tx.commit().await.expect("commits");
    let tools = held.tool_names().await;
    assert!(tools.contains(&"list_events".to_owned()));
    assert!(!tools.contains(&"save_draft".to_owned()));
}

#[tokio::test]
async fn an_input_that_needs_another_capability_is_refused_and_the_capability_is_named() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let marked = [("nivel", "lider"), ("lider", "tasks_assign")];
    let (agent, _) = grant_scope(&app, &member, "lider", &marked).await;
    let lead = app.session_client(&member).await;
    let id = lead.create_demand(json!({ "title": "Pão" })).await;
    let update = |fields: Value| {
        let mut arguments = fields;
        arguments["eventId"] = id.as_str().into();
        arguments["expected_revision"] = 1.into();
        let params = json!({ "name": "update_event", "arguments": arguments });
        let agent = agent.clone();
        async move { agent.send_rpc("tools/call", params).await }
    };
    let refused = update(json!({ "status": "publicado" })).await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let challenge = refused.headers["www-authenticate"].to_str().expect("text");
    let scope = "scope=\"tasks_assign publish\"";
    assert!(
        challenge.contains("insufficient_scope") && challenge.contains(scope),
        "{challenge}"
    );
    let allowed = update(json!({ "title": "Outro" })).await.expect(200);
    assert_eq!(allowed.body["result"]["isError"], false, "{}", allowed.text);
}

#[tokio::test]
async fn a_tool_that_was_not_granted_is_refused_with_the_scope_to_request() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let marked = [("nivel", "leitor"), ("leitor", "tasks_view")];
    let (agent, _) = grant_scope(&app, &member, "lider", &marked).await;
    let call = |name: &str| {
        let params = json!({ "name": name, "arguments": {} });
        let agent = agent.clone();
        async move { agent.send_rpc("tools/call", params).await }
    };
    let refused = call("decide_approval")
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    assert_eq!(
        refused.headers["www-authenticate"],
        "Bearer error=\"insufficient_scope\", scope=\"tasks_view approve\", \
         resource_metadata=\"http://127.0.0.1:8080/.well-known/oauth-protected-resource/api/mcp\""
    );
    // The body answers the message, so that a host can show why.
    let error = &refused.body["error"];
    assert_eq!(
        (&refused.body["jsonrpc"], &error["code"]),
        (&json!("2.0"), &json!(-32600))
    );
    assert!(refused.body["id"].is_number(), "{}", refused.text);
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.contains("approve")),
        "{error}"
    );
    assert_eq!(error["data"]["details"]["capability"], "approve");
    let params = json!({ "name": "decide_approval", "arguments": {} });
    agent
        .send_modern_rpc("tools/call", params)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    // If the person may not grant a tool either, a call of this tool gets the same response as a
    // call of an unknown tool.
    for unknown in ["publish_config_version", "does_not_exist"] {
        let answer = call(unknown).await;
        assert_eq!(answer.body["error"]["code"], -32602, "{}", answer.text);
    }
    // A tool outside of the client's `toolsets` gets the same response as an unknown tool.
    let narrowed = agent.with_mcp_query("toolsets=media");
    let params = json!({ "name": "decide_approval", "arguments": {} });
    let answer = narrowed.send_rpc("tools/call", params).await;
    assert_eq!(answer.body["error"]["code"], -32602, "{}", answer.text);
}
