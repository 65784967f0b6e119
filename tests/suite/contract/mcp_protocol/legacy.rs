//! Clients that open with `initialize`.

use serde_json::json;

use super::{
    LEGACY, MODERN, agent_client, assert_error_object, assert_rpc_error, post_message, rpc_message,
};
use crate::support::TestApp;

#[tokio::test]
async fn initialize_answers_with_the_version_of_the_client() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for version in LEGACY {
        let params = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "suite", "version": "1" },
        });
        let answer = post_message(&agent, rpc_message("initialize", params).to_string())
            .await
            .expect(200);
        let result = &answer.body["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "pauta");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(
            result["capabilities"]["tools"].is_object(),
            "{}",
            answer.text
        );
        assert!(
            result["instructions"]
                .as_str()
                .expect("text")
                .contains("get_me")
        );
        for undeclared in ["completions", "logging", "tasks"] {
            assert!(
                result["capabilities"].get(undeclared).is_none(),
                "{undeclared}"
            );
        }
        assert!(result.get("resultType").is_none(), "{}", answer.text);
        assert!(answer.headers.get("mcp-session-id").is_none());

        let client = agent.with_header("mcp-protocol-version", version);
        let answer = post_message(&client, rpc_message("ping", json!({})).to_string())
            .await
            .expect(200);
        assert_eq!(answer.body["result"], json!({}), "{version}");
        let list = rpc_message("tools/list", json!({})).to_string();
        let answer = post_message(&client, list).await.expect(200);
        assert!(
            !answer.body["result"]["tools"]
                .as_array()
                .expect("a list")
                .is_empty()
        );
    }
}

#[tokio::test]
async fn initialize_offers_the_newest_legacy_version_instead_of_any_other_version() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for version in [MODERN, "2099-01-01", "1999-01-01", "x"] {
        let params = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "suite", "version": "1" },
        });
        let answer = post_message(&agent, rpc_message("initialize", params).to_string())
            .await
            .expect(200);
        assert_eq!(
            answer.body["result"]["protocolVersion"], LEGACY[0],
            "{}",
            answer.text
        );
    }
}

#[tokio::test]
async fn legacy_results_carry_no_modern_fields() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "get_me", "arguments": {} })),
        (
            "tools/call",
            json!({ "name": "get_event", "arguments": {} }),
        ),
    ] {
        let answer = agent.send_rpc(method, params).await.expect(200);
        for field in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            assert!(
                answer.body["result"].get(field).is_none(),
                "{field}: {}",
                answer.text
            );
        }
    }
}

#[tokio::test]
async fn a_client_that_names_no_version_is_a_legacy_client() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let answer = post_message(&agent, rpc_message("tools/list", json!({})).to_string())
        .await
        .expect(200);
    assert!(
        answer.body["result"].get("resultType").is_none(),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn an_unsupported_version_header_is_refused() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let methods = [
        "tools/list",
        "tools/call",
        "initialize",
        "ping",
        "notifications/initialized",
    ];
    for version in [
        "1999-01-01",
        "2099-01-01",
        "",
        "x",
        "2026-07-28, 2025-11-25",
    ] {
        let client = agent.with_header("mcp-protocol-version", version);
        for method in methods {
            let answer = post_message(&client, rpc_message(method, json!({})).to_string()).await;
            assert_rpc_error(&answer, 400, -32022);
            assert_eq!(answer.body["id"], 7, "{}", answer.text);
            let error = &answer.body["error"];
            assert_eq!(error["data"]["requested"], version, "{}", answer.text);
            for supported in LEGACY.into_iter().chain([MODERN]) {
                let listed = error["data"]["supported"].as_array().expect("versions");
                assert!(listed.contains(&json!(supported)), "{}", answer.text);
                let told = error["message"].as_str().expect("a message");
                assert!(told.contains(supported), "{told}");
            }
        }
    }
}

#[tokio::test]
async fn an_unsupported_version_is_reported_only_to_members() {
    let app = TestApp::new().await;
    let stranger = app
        .anonymous()
        .with_header("mcp-protocol-version", "1999-01-01");
    let answer = post_message(&stranger, rpc_message("tools/list", json!({})).to_string()).await;
    assert_error_object(&answer, 401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn the_audit_trail_names_a_legacy_client_by_its_user_agent() {
    let app = TestApp::new().await;
    let agent = agent_client(&app)
        .await
        .with_header("user-agent", "agente/1.2");
    let demand = json!({ "name": "create_demand", "arguments": { "title": "A" } });
    agent
        .send_rpc("tools/call", demand.clone())
        .await
        .expect(200);
    let named = r#"audit_events WHERE metadata LIKE '%"client":"agente/1.2"%'"#;
    assert_eq!(app.count_rows(named).await, 1);
    // A modern client sends its name in `_meta`.
    agent
        .send_modern_rpc("tools/call", demand)
        .await
        .expect(200);
    let named = r#"audit_events WHERE metadata LIKE '%"client":"suite 1"%'"#;
    assert_eq!(app.count_rows(named).await, 1);
}
