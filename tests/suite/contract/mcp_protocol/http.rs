//! The transport: methods, media types, sizes, origins, and bodies that are not messages.

use axum::{
    body::{Body, Bytes},
    http::Method,
};
use domain::Role;
use futures::StreamExt;
use serde_json::{Value, json};
use tools::operations;

use super::{
    agent_client, assert_error_object, assert_rpc_error, post_message, rpc_message,
    with_modern_headers,
};
use crate::support::TestApp;

#[tokio::test]
async fn every_method_but_post_is_refused_after_the_credential() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let verb: Method = method.parse().expect("a method");
        let answer = app.anonymous().send(verb.clone(), "/api/mcp", None).await;
        assert_error_object(&answer, 401, "UNAUTHENTICATED");
        let answer = agent.send(verb, "/api/mcp", None).await;
        assert_error_object(&answer, 405, "METHOD_NOT_ALLOWED");
        assert_eq!(answer.headers["allow"], "POST", "{method}");
    }
    // With this header, GET asks for a stream, which the endpoint does not offer.
    let stream = agent
        .with_header("accept", "text/event-stream")
        .get("/api/mcp")
        .await;
    assert_error_object(&stream, 405, "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn every_path_of_the_endpoint_gives_the_same_answer() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let list = rpc_message("tools/list", json!({}));
    let first = agent.post("/api/mcp", list.clone()).await.expect(200);
    for path in ["/api/mcp/", "/mcp", "/mcp/"] {
        let same = agent.post(path, list.clone()).await.expect(200);
        assert_eq!(same.body, first.body, "{path}");
        let narrowed = format!("{path}?toolsets=system");
        let fewer = agent.post(&narrowed, list.clone()).await.expect(200);
        assert!(fewer.text.len() < first.text.len(), "{path}");
        let refused = agent.send(Method::GET, path, None).await;
        assert_error_object(&refused, 405, "METHOD_NOT_ALLOWED");
        let stranger = app.anonymous().post(path, list.clone()).await;
        assert_error_object(&stranger, 401, "UNAUTHENTICATED");
        let challenge = stranger.headers["www-authenticate"].to_str().expect("text");
        let metadata = path.trim_end_matches('/');
        let metadata = format!("/.well-known/oauth-protected-resource{metadata}\"");
        assert!(challenge.contains(&metadata), "{path}: {challenge}");
    }
}

#[tokio::test]
async fn only_json_is_accepted() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let list = rpc_message("tools/list", json!({})).to_string();
    let types = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "json",
    ];
    for media_type in types {
        let answer = post_message(&agent.with_header("content-type", media_type), &list).await;
        assert_error_object(&answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    }
    for media_type in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
    ] {
        post_message(&agent.with_header("content-type", media_type), &list)
            .await
            .expect(200);
    }
    // The test client sets the media type only with a body.
    let answer = agent.send(Method::POST, "/api/mcp", None).await;
    assert_error_object(&answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    let nobody = app.anonymous().with_header("content-type", "text/plain");
    assert_error_object(&post_message(&nobody, &list).await, 401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn every_accept_header_gets_json() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    for accept in [
        None,
        Some("application/json"),
        Some("text/event-stream"),
        Some("text/html"),
    ] {
        let client = match accept {
            Some(accept) => agent.with_header("accept", accept),
            None => agent.clone(),
        };
        for answer in [
            client.send_rpc("tools/list", json!({})).await,
            client.send_modern_rpc("tools/list", json!({})).await,
            client
                .send_rpc("tools/call", json!({ "name": "get_me" }))
                .await,
        ] {
            let answer = answer.expect(200);
            assert_eq!(
                answer.headers["content-type"], "application/json",
                "{accept:?}"
            );
            assert!(answer.body["result"].is_object(), "{accept:?}");
            assert!(
                answer.headers.get("mcp-session-id").is_none(),
                "the answer must name no session"
            );
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_a_message_is_refused_with_the_error_object() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let list = rpc_message("tools/list", json!({}));
    let mut old = list.clone();
    old["jsonrpc"] = json!("1.0");
    let bodies = [
        "{".to_owned(),
        String::new(),
        "   ".into(),
        "null".into(),
        "7".into(),
        "\"tools/list\"".into(),
        "{}".into(),
        "[]".into(),
        json!([list]).to_string(),
        json!([list, list]).to_string(),
        old.to_string(),
        json!({ "id": 1, "method": "tools/list" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 1 }).to_string(),
        json!({ "jsonrpc": 2.0, "id": 1, "method": "tools/list" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 1, "method": 7 }).to_string(),
        json!({ "jsonrpc": "2.0", "id": { "a": 1 }, "method": "tools/list" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": null, "method": "tools/list" }).to_string(),
        format!("{list}{list}"),
        format!("{list} x"),
    ];
    for client in [agent.clone(), with_modern_headers(&agent, "tools/list")] {
        for body in &bodies {
            assert_error_object(&post_message(&client, body).await, 400, "INVALID_INPUT");
        }
    }
}

/// Returns a message padded with spaces.
fn padded_message(message: &Value, length: usize) -> String {
    let message = message.to_string();
    let blanks = length - message.len();
    format!("{message}{}", " ".repeat(blanks))
}

#[tokio::test]
async fn a_message_has_the_body_limit_of_its_operation() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let tools = operations().filter(|entry| entry.spec.tool);
    let largest = tools
        .map(|entry| entry.spec.body_limit)
        .max()
        .expect("a tool");
    let list = rpc_message("tools/list", json!({}));
    post_message(&agent, padded_message(&list, 64_000))
        .await
        .expect(200);
    for length in [64_001, 1_000_000, largest, largest + 100_000] {
        let answer = post_message(&agent, padded_message(&list, length)).await;
        assert_error_object(&answer, 413, "PAYLOAD_TOO_LARGE");
        assert!(answer.body["details"]["limit"].as_u64() >= Some(64_000));
    }
    // Unknown tools and withheld tools have the same limit.
    let withheld = app.add_member(Role::Criador).await;
    let withheld = app.token_client(&withheld).await;
    for name in ["does_not_exist", "publish_config_version"] {
        let call = |bytes: usize| {
            let arguments = json!({ "key": "k", "value": "x".repeat(bytes) });
            let params = json!({ "arguments": arguments, "name": name });
            rpc_message("tools/call", params)
        };
        let answer = post_message(&withheld, call(10).to_string()).await;
        assert_rpc_error(&answer, 200, -32602);
        let first = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{{"value":"{}"}}}}}}"#,
            "x".repeat(200_000)
        );
        let chunks: Vec<_> = first
            .as_bytes()
            .chunks(50_000)
            .map(Bytes::copy_from_slice)
            .collect();
        let chunks = futures::stream::iter(chunks.into_iter().map(Ok::<_, std::io::Error>));
        let body = Body::from_stream(chunks);
        let answer = withheld.send(Method::POST, "/api/mcp", Some(body)).await;
        assert_error_object(&answer, 413, "PAYLOAD_TOO_LARGE");
        assert_eq!(answer.body["details"]["limit"], 64_000);
    }
}

#[tokio::test]
async fn a_large_call_that_names_its_tool_first_is_refused_before_it_is_read() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let begins = |tool: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{"x":"{}"#,
            "x".repeat(100_000)
        )
    };
    // The rest of the body never arrives.
    let silent = |tool: &str| {
        let begun = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from(begins(tool)))]);
        Body::from_stream(begun.chain(futures::stream::pending()))
    };
    for (tool, limit) in [("get_me", 1_000_000), ("create_demand", 1_000_000)] {
        let announced = agent.with_header("content-length", "23700000");
        let answer = announced
            .send(Method::POST, "/api/mcp", Some(silent(tool)))
            .await;
        assert_error_object(&answer, 413, "PAYLOAD_TOO_LARGE");
        assert_eq!(answer.body["details"]["limit"], limit);
    }
    // The audit trail has the refused write, as it does over REST.
    let rows = app.count_rows("audit_events WHERE action = 'create_demand' AND status_code = 413");
    assert_eq!(rows.await, 1);
}

#[tokio::test]
async fn an_unknown_host_or_origin_is_refused() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let faulty = [
        ("host", "evil.example"),
        ("host", "127.0.0.1.evil.example"),
        ("origin", "https://evil.example"),
        ("origin", "http://127.0.0.1.evil.example:8080"),
        ("origin", "null"),
    ];
    for (name, value) in faulty {
        let client = agent.with_header(name, value);
        for answer in [
            client.send_rpc("tools/list", json!({})).await,
            client.send_modern_rpc("tools/list", json!({})).await,
        ] {
            assert_error_object(&answer, 403, "ORIGIN_NOT_ALLOWED");
        }
    }
    for (name, value) in [
        ("host", "localhost"),
        ("host", "127.0.0.1:8080"),
        ("host", "[::1]:8080"),
        ("origin", "http://127.0.0.1:8080"),
    ] {
        agent
            .with_header(name, value)
            .send_rpc("tools/list", json!({}))
            .await
            .expect(200);
    }
}
