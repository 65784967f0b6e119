//! How a call of an agent is found in the log: by the id of its request, and by its trace.

use serde_json::json;
use tracing_subscriber::fmt::format::FmtSpan;

use super::{
    agent_client, assert_rpc_error, modern_meta, post_message, rpc_message, with_modern_headers,
};
use crate::support::{Log, TestApp, log_to};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const OTHER: &str = "0af7651916cd43dd8448eb211c80319c";

fn traceparent(trace: &str) -> String {
    format!("00-{trace}-00f067aa0ba902b7-01")
}

#[tokio::test]
async fn every_refused_call_names_its_request() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for arguments in [json!({}), json!({ "event_id": "nada", "x": 1 })] {
        let params = json!({ "name": "get_event", "arguments": arguments });
        let legacy = agent.send_rpc("tools/call", params.clone()).await;
        for answer in [legacy, agent.send_modern_rpc("tools/call", params).await] {
            let result = &answer.body["result"];
            assert_eq!(result["isError"], true, "{}", answer.text);
            let text = result["content"][0]["text"].as_str().expect("a text");
            let id = answer.headers["x-request-id"].to_str().expect("text");
            assert!(text.ends_with(&format!("\nPedido: {id}")), "{text}");
        }
    }
    let named = agent.with_header("x-request-id", "pedido-do-cliente");
    let refused = named.call_tool("get_event", json!({})).await;
    assert_eq!(refused.request_id.as_deref(), Some("pedido-do-cliente"));
}

#[tokio::test]
async fn every_protocol_error_names_its_request() {
    let app = TestApp::new().await;
    let agent = agent_client(&app)
        .await
        .with_header("x-request-id", "pedido-um");
    let unknown = json!({ "name": "nada", "arguments": {} });
    let wrong = json!({ "name": "get_me", "arguments": [] });
    for (method, params, code) in [
        ("tools/call", unknown, -32602),
        ("tools/call", wrong, -32602),
        ("tools/list", json!({ "cursor": "x" }), -32602),
        ("prompts/get", json!({ "name": "nada" }), -32602),
        ("completion/complete", json!({}), -32601),
        ("nada", json!({}), -32601),
    ] {
        for answer in [
            agent.send_rpc(method, params.clone()).await,
            agent.send_modern_rpc(method, params.clone()).await,
        ] {
            assert_eq!(answer.body["error"]["code"], code, "{}", answer.text);
            assert_eq!(
                answer.body["error"]["data"]["request_id"], "pedido-um",
                "{method}: {}",
                answer.text
            );
        }
    }
    // The fields that an error code defines in `data` are kept beside the request id.
    let read = json!({ "uri": "pauta://nada" });
    let absent = agent.send_modern_rpc("resources/read", read).await;
    let data = json!({ "uri": "pauta://nada", "request_id": "pedido-um" });
    assert_eq!(absent.body["error"]["data"], data, "{}", absent.text);
    let newer = agent.with_header("mcp-protocol-version", "2099-01-01");
    let refused = post_message(&newer, rpc_message("tools/list", json!({})).to_string()).await;
    assert_rpc_error(&refused, 400, -32022);
    let data = &refused.body["error"]["data"];
    assert_eq!(data["request_id"], "pedido-um", "{}", refused.text);
    assert!(data["supported"].is_array(), "{}", refused.text);
    // Sends a request without `_meta`, a header that contradicts the body, and `initialize` with a
    // version that does not have it.
    let meta = json!({ "_meta": modern_meta() });
    for (header, method, params) in [
        ("tools/list", "tools/list", json!({})),
        ("tools/call", "tools/list", meta.clone()),
        ("initialize", "initialize", meta),
    ] {
        let client = with_modern_headers(&agent, header);
        let answer = post_message(&client, rpc_message(method, params).to_string()).await;
        let data = &answer.body["error"]["data"];
        assert_eq!(data["request_id"], "pedido-um", "{}", answer.text);
    }
}

#[tokio::test]
async fn the_trace_of_a_call_is_logged() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    let logging = log_to(subscriber);
    let call = |trace: serde_json::Value| json!({ "name": "list_my_tasks", "arguments": {}, "_meta": { "traceparent": trace } });
    let header = agent.with_header("traceparent", traceparent(OTHER));
    let good = header
        .send_modern_rpc("tools/call", call(json!(traceparent(TRACE))))
        .await;
    assert_eq!(good.body["result"]["isError"], false, "{}", good.text);
    for bad in [
        json!(7),
        json!("não é"),
        json!(format!("{TRACE}\n")),
        json!("00-"),
    ] {
        let answer = agent.send_modern_rpc("tools/call", call(bad)).await;
        assert_eq!(answer.body["result"]["isError"], false, "{}", answer.text);
    }
    header.get("/api/me").await.expect(200);
    drop(logging);
    let text = log.captured_text();
    let lines = |operation: &str| -> Vec<String> {
        let named = format!("operation=\"{operation}\"");
        let lines = text.lines().filter(|line| line.contains(&named));
        lines.map(str::to_owned).collect()
    };
    let [traced, untraced @ ..] = &lines("list_my_tasks")[..] else {
        panic!("the log has no line of the call: {text}");
    };
    // The `traceparent` in `_meta` takes precedence over the header, which a proxy may have added.
    assert!(
        traced.contains(TRACE) && !traced.contains(OTHER),
        "{traced}"
    );
    assert_eq!(untraced.len(), 4);
    for line in untraced {
        assert!(!line.contains("trace_id"), "{line}");
    }
    let rest = lines("get_me");
    assert!(
        rest.iter().any(|line| line.contains(OTHER)),
        "{rest:?}\n{text}"
    );
}
