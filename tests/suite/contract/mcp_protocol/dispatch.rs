//! Ordinary calls and lists are dispatched directly. The protocol library dispatches unusual ones,
//! such as those with an `Origin` header. Both give the same answers.

use serde_json::{Value, json};

use super::{LEGACY, MODERN, agent_client, modern_meta};
use crate::support::{Answer, Client, TestApp};

/// The public URL of the service under test, as the `Origin` of a browser.
const ORIGIN: &str = "http://127.0.0.1:8080";

/// Sends a message twice, so that the service dispatches it directly and then through the protocol
/// library; returns both responses.
async fn dispatch_both_ways(client: &Client, message: &Value) -> [Answer; 2] {
    // An error contains the id of its request, so all requests get the same id.
    let client = client.with_header("x-request-id", "pedido-um");
    let direct = client.post("/api/mcp", message.clone()).await;
    let browser = client.with_header("origin", ORIGIN);
    let library = browser.post("/api/mcp", message.clone()).await;
    assert_eq!(direct.status, library.status, "{}", library.text);
    for name in ["content-type", "cache-control", "x-content-type-options"] {
        assert_eq!(direct.headers[name], library.headers[name], "{name}");
    }
    assert_eq!(direct.body, library.body, "{message}");
    [direct, library]
}

/// Returns a client that sends the headers of a protocol revision, and the parameters with the
/// `_meta` that the revision requires.
fn client_of_revision(
    agent: &Client,
    version: Option<&str>,
    method: &str,
    params: &Value,
) -> (Client, Value) {
    let mut params = params.clone();
    let Some(version) = version else {
        return (agent.clone(), params);
    };
    let mut client = agent.with_header("mcp-protocol-version", version);
    if version == MODERN {
        params["_meta"] = modern_meta();
        client = client.with_header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            client = client.with_header("mcp-name", name);
        }
    }
    (client, params)
}

#[tokio::test]
async fn a_request_gets_the_same_answer_however_it_is_dispatched() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for number in 0..3 {
        let title = format!("Nº {number} \"com aspas\" \\ e 🍞\nlinhas");
        agent.create_demand(json!({ "title": title })).await;
    }
    let new = json!({ "title": "Uma vez", "channel": "x", "idempotency_key": "uma-chave-1" });
    let requests = [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "get_me" })),
        ("tools/call", json!({ "name": "get_me", "arguments": null })),
        (
            "tools/call",
            json!({ "name": "list_events", "arguments": { "limit": 2 } }),
        ),
        (
            "tools/call",
            json!({ "name": "list_events", "arguments": { "limit": 0, "x": 1 } }),
        ),
        (
            "tools/call",
            json!({ "name": "get_event", "arguments": { "event_id": "x" } }),
        ),
        (
            "tools/call",
            json!({ "name": "create_demand", "arguments": new }),
        ),
        (
            "tools/call",
            json!({ "name": "does_not_exist", "arguments": {} }),
        ),
        ("tools/call", json!({ "name": "create_my_token" })),
    ];
    let versions = LEGACY.into_iter().chain([MODERN]).map(Some).chain([None]);
    for version in versions {
        for (method, params) in &requests {
            let (client, params) = client_of_revision(&agent, version, method, params);
            for id in [json!(1), json!(-7), json!("\"a\": \\"), json!(i64::MAX)] {
                let message = json!({
                    "jsonrpc": "2.0", "id": id, "method": method, "params": params,
                });
                let [direct, _] = dispatch_both_ways(&client, &message).await;
                assert_eq!(direct.body["id"], id, "{}", direct.text);
            }
        }
    }
}

#[tokio::test]
async fn unusual_ids_and_parameters_get_the_same_answer_however_they_are_dispatched() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let me = json!({ "name": "get_me", "arguments": {} });
    for id in [
        json!(1.5),
        json!(u64::MAX),
        json!(null),
        json!([]),
        json!({}),
    ] {
        let message = json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": me,
        });
        dispatch_both_ways(&agent, &message).await;
    }
    for (field, value) in [
        ("_meta", json!(null)),
        ("_meta", json!([])),
        ("_meta", json!({ "progressToken": 7 })),
        ("_meta", json!({ "io.modelcontextprotocol/clientInfo": 7 })),
        ("task", json!({})),
        ("inputResponses", json!(7)),
        ("estranho", json!(1)),
    ] {
        let mut params = me.clone();
        params[field] = value;
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params,
        });
        dispatch_both_ways(&agent, &message).await;
    }
    for params in [json!(null), json!({}), json!({ "cursor": null }), json!([])] {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params,
        });
        dispatch_both_ways(&agent, &message).await;
    }
    let bare = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    dispatch_both_ways(&agent, &bare).await;
}

#[tokio::test]
async fn a_tool_result_has_the_text_of_the_rest_answer() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let me = agent.get("/api/me").await.expect(200).text;
    for answer in [
        agent
            .send_rpc("tools/call", json!({ "name": "get_me" }))
            .await,
        agent
            .send_modern_rpc("tools/call", json!({ "name": "get_me" }))
            .await,
    ] {
        assert_eq!(answer.body["result"]["content"][0]["text"], json!(me));
        let structured = format!("\"structuredContent\":{me},\"isError\":false");
        assert!(answer.text.contains(&structured), "{}", answer.text);
    }
}
