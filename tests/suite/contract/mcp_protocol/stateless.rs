//! Clients of the protocol version 2026-07-28, which do not call `initialize`.

use serde_json::{Value, json};
use tools::operations;

use super::{
    META, MODERN, agent_client, assert_rpc_error, modern_meta, post_message, rpc_message,
    with_modern_headers,
};
use crate::support::TestApp;

#[tokio::test]
async fn a_modern_client_discovers_the_server() {
    let app = TestApp::new().await;
    let answer = agent_client(&app)
        .await
        .send_modern_rpc("server/discover", json!({}))
        .await
        .expect(200);
    let result = &answer.body["result"];
    let versions = result["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!(MODERN)), "{}", answer.text);
    assert!(
        result["capabilities"]["tools"].is_object(),
        "{}",
        answer.text
    );
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "pauta"
    );
    assert!(
        result["instructions"]
            .as_str()
            .expect("text")
            .contains("get_me")
    );
    assert_eq!(result["resultType"], "complete");
    assert!(
        result["ttlMs"].is_u64() && result["cacheScope"].is_string(),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn modern_results_are_typed_and_lists_are_private() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let list = agent
        .send_modern_rpc("tools/list", json!({}))
        .await
        .expect(200)
        .body;
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "private");
    assert!(list["result"]["ttlMs"].is_u64());
    let legacy = agent
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200)
        .body;
    assert_eq!(list["result"]["tools"], legacy["result"]["tools"]);
    for (name, is_error) in [("get_me", false), ("get_event", true)] {
        let params = json!({ "name": name, "arguments": {} });
        let result = agent
            .send_modern_rpc("tools/call", params)
            .await
            .expect(200)
            .body["result"]
            .clone();
        assert_eq!(result["resultType"], "complete", "{result}");
        assert_eq!(result["isError"], is_error, "{result}");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(
            (&server["name"], &server["version"]),
            (&json!("pauta"), &json!(env!("CARGO_PKG_VERSION")))
        );
    }
}

#[tokio::test]
async fn a_modern_request_without_its_meta_is_refused() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let call = |meta: Option<Value>| {
        let mut params = json!({ "name": "get_me", "arguments": {} });
        if let Some(meta) = meta {
            params["_meta"] = meta;
        }
        let client = with_modern_headers(&agent, "tools/call").with_header("mcp-name", "get_me");
        async move { post_message(&client, rpc_message("tools/call", params).to_string()).await }
    };
    assert_rpc_error(&call(None).await, 400, -32602);
    assert_rpc_error(&call(Some(json!({}))).await, 400, -32602);
    assert_rpc_error(&call(Some(json!({ META[0]: MODERN }))).await, 400, -32602);
    assert_rpc_error(&call(Some(json!({ META[1]: {} }))).await, 400, -32602);
    call(Some(modern_meta())).await.expect(200);
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let params = json!({ "name": "get_me", "arguments": {}, "_meta": modern_meta() });
    let body = rpc_message("tools/call", params).to_string();
    let headers = |version: &str, method: &str, name: &str| {
        let given = [
            ("mcp-protocol-version", version),
            ("mcp-method", method),
            ("mcp-name", name),
        ];
        given
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .fold(agent.clone(), |client, (header, value)| {
                client.with_header(header, value)
            })
    };
    for (version, method, name) in [
        ("", "tools/call", "get_me"),
        ("2025-11-25", "tools/call", "get_me"),
        (MODERN, "", "get_me"),
        (MODERN, "tools/list", "get_me"),
        (MODERN, "tools/call", ""),
        (MODERN, "tools/call", "list_events"),
    ] {
        let answer = post_message(&headers(version, method, name), &body).await;
        assert_rpc_error(&answer, 400, -32020);
    }
    post_message(&headers(MODERN, "tools/call", "get_me"), &body)
        .await
        .expect(200);
}

#[tokio::test]
async fn an_unsupported_modern_version_is_refused() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for method in ["tools/list", "server/discover"] {
        let params = json!({ "_meta": { META[0]: "2099-01-01", META[1]: {} } });
        let client = agent
            .with_header("mcp-protocol-version", "2099-01-01")
            .with_header("mcp-method", method);
        let answer = post_message(&client, rpc_message(method, params).to_string()).await;
        assert_rpc_error(&answer, 400, -32022);
        let supported = answer.body["error"]["data"]["supported"]
            .as_array()
            .expect("versions");
        assert!(supported.contains(&json!(MODERN)), "{}", answer.text);
        let told = answer.body["error"]["message"].as_str().expect("text");
        assert!(told.contains(MODERN), "{told}");
    }
    // A request whose header contradicts `_meta` gets the error -32020 instead.
    let params = json!({ "_meta": { META[0]: MODERN, META[1]: {} } });
    let client = agent
        .with_header("mcp-protocol-version", "2099-01-01")
        .with_header("mcp-method", "tools/list");
    let answer = post_message(&client, rpc_message("tools/list", params).to_string()).await;
    assert_rpc_error(&answer, 400, -32020);
}

#[tokio::test]
async fn a_modern_client_has_no_initialize() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let params = |meta: Option<Value>| {
        let mut params = json!({
            "protocolVersion": MODERN, "capabilities": {},
            "clientInfo": { "name": "suite", "version": "1" },
        });
        if let Some(meta) = meta {
            params["_meta"] = meta;
        }
        rpc_message("initialize", params).to_string()
    };
    let headed = with_modern_headers(&agent, "initialize");
    for (client, body) in [
        (&headed, params(Some(modern_meta()))),
        (&headed, params(None)),
        (&headed, rpc_message("initialize", json!({})).to_string()),
        (&headed, params(None).replace(MODERN, "2025-11-25")),
        (&agent, params(Some(modern_meta()))),
    ] {
        let answer = post_message(client, body).await;
        assert_rpc_error(&answer, 404, -32601);
        assert_eq!(answer.body["id"], 7, "{}", answer.text);
    }
    let body = rpc_message("nada", json!({ "_meta": modern_meta() })).to_string();
    let unknown = post_message(&with_modern_headers(&agent, "nada"), body).await;
    assert_rpc_error(&unknown, 404, -32601);
}

#[tokio::test]
async fn an_unknown_cursor_is_refused_by_every_list() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for list in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        for cursor in ["inventado", "", "bnVsbA", "0"] {
            let params = json!({ "cursor": cursor });
            let old = agent.send_rpc(list, params.clone()).await.expect(200);
            let new = agent.send_modern_rpc(list, params).await.expect(200);
            for answer in [old, new] {
                let code = &answer.body["error"]["code"];
                assert_eq!(code, -32602, "{list} {cursor}: {}", answer.text);
            }
        }
        let params = json!({ "cursor": null });
        let whole = agent.send_rpc(list, params).await.expect(200);
        assert!(whole.body["result"].is_object(), "{list}: {}", whole.text);
    }
}

#[tokio::test]
async fn the_order_of_the_tools_never_changes() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let first = agent.tool_names().await;
    for _ in 0..3 {
        assert_eq!(agent.tool_names().await, first);
    }
    let table: Vec<&str> = operations().map(|entry| entry.spec.name).collect();
    let places: Vec<usize> = first
        .iter()
        .map(|name| {
            table
                .iter()
                .position(|other| other == name)
                .expect("in the table")
        })
        .collect();
    assert!(places.is_sorted(), "{first:?}");
}
