//! Requests and notifications that behave the same with and without `initialize`.

use serde_json::{Value, json};

use super::{
    agent_client, assert_error_object, assert_rpc_error, post_message, rpc_message,
    with_modern_headers,
};
use crate::support::TestApp;

#[tokio::test]
async fn a_call_that_cannot_be_routed_gets_the_error_invalid_params() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let faulty = [
        json!({}),
        json!({ "arguments": {} }),
        json!({ "name": 7 }),
        json!({ "name": null, "arguments": {} }),
        json!({ "name": "get_me", "arguments": [] }),
        json!({ "name": "get_me", "arguments": "x" }),
        json!({ "name": "get_me", "arguments": 7 }),
        json!({ "name": "does_not_exist", "arguments": {} }),
        json!({ "name": "", "arguments": {} }),
        // This operation is not a tool.
        json!({ "name": "create_my_token", "arguments": { "label": "x" } }),
        json!({ "name": "GET_ME", "arguments": {} }),
    ];
    for params in faulty {
        assert_rpc_error(&agent.send_rpc("tools/call", params).await, 200, -32602);
    }
    let absent = rpc_message("tools/call", Value::Null);
    assert_rpc_error(&post_message(&agent, absent.to_string()).await, 200, -32602);
    for params in [
        json!({ "name": "does_not_exist" }),
        json!({ "name": "create_my_token" }),
    ] {
        assert_rpc_error(
            &agent.send_modern_rpc("tools/call", params).await,
            200,
            -32602,
        );
    }
    let strange = json!({ "name": "get_me", "arguments": [] });
    let answer = agent.send_modern_rpc("tools/call", strange).await;
    assert_eq!(answer.body["error"]["code"], -32602, "{}", answer.text);
}

#[tokio::test]
async fn arguments_may_be_absent_or_empty() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for params in [
        json!({ "name": "get_me" }),
        json!({ "name": "get_me", "arguments": {} }),
    ] {
        let legacy = agent
            .send_rpc("tools/call", params.clone())
            .await
            .expect(200);
        let modern = agent
            .send_modern_rpc("tools/call", params)
            .await
            .expect(200);
        for answer in [legacy, modern] {
            assert_eq!(answer.body["result"]["isError"], false, "{}", answer.text);
            assert_eq!(answer.body["id"], 1);
        }
    }
}

#[tokio::test]
async fn an_unknown_method_is_not_found() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let methods = [
        "completion/complete",
        "resources/subscribe",
        "logging/setLevel",
        "tasks/list",
        "does/not/exist",
        "tools",
        "",
    ];
    for method in methods {
        assert_rpc_error(&agent.send_rpc(method, json!({})).await, 200, -32601);
        if !method.is_empty() {
            assert_rpc_error(&agent.send_modern_rpc(method, json!({})).await, 404, -32601);
        }
    }
    let completion = json!({
        "ref": { "type": "ref/prompt", "name": "x" },
        "argument": { "name": "a", "value": "b" },
    });
    assert_rpc_error(
        &agent
            .send_rpc("completion/complete", completion.clone())
            .await,
        200,
        -32601,
    );
    assert_rpc_error(
        &agent
            .send_modern_rpc("completion/complete", completion)
            .await,
        404,
        -32601,
    );
}

#[tokio::test]
async fn a_domain_refusal_is_a_tool_error_without_structured_content() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let params = json!({ "name": "save_draft", "arguments": { "event_id": "x" } });
    for answer in [
        agent
            .send_rpc("tools/call", params.clone())
            .await
            .expect(200),
        agent
            .send_modern_rpc("tools/call", params)
            .await
            .expect(200),
    ] {
        let result = &answer.body["result"];
        assert_eq!(result["isError"], true, "{}", answer.text);
        assert!(result.get("structuredContent").is_none(), "{}", answer.text);
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.starts_with("INVALID_INPUT: "), "{text}");
        assert!(text.contains("expected_revision"), "{text}");
    }
}

#[tokio::test]
async fn a_notification_is_accepted_without_an_answer() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let notifications = [
        ("notifications/initialized", json!({})),
        (
            "notifications/cancelled",
            json!({ "requestId": 1, "reason": "x" }),
        ),
        ("notifications/does_not_exist", json!({})),
    ];
    for (method, params) in notifications {
        let body = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        let legacy = post_message(&agent, body.to_string()).await.expect(202);
        let modern = post_message(&with_modern_headers(&agent, method), body.to_string())
            .await
            .expect(202);
        assert_eq!(
            (legacy.text.as_str(), modern.text.as_str()),
            ("", ""),
            "{method}"
        );
    }
}

#[tokio::test]
async fn an_unsolicited_response_is_refused() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let error = json!({ "code": -32000, "message": "x" });
    for (field, value) in [("result", json!({})), ("error", error)] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, field: value });
        assert_error_object(
            &post_message(&agent, body.to_string()).await,
            400,
            "INVALID_INPUT",
        );
    }
}
