//! Metadata (`_meta`) that a client sends beside the arguments of a tool.

use serde_json::{Value, json};

use super::agent_client;
use crate::support::{Answer, Client, TestApp};

/// Calls `create_demand` as a legacy and as a modern client, with this key in `_meta` and these
/// arguments.
async fn create_in_both_versions(client: &Client, key: &Value, arguments: &Value) -> [Answer; 2] {
    let params = json!({
        "name": "create_demand", "arguments": arguments, "_meta": { "idempotency-key": key },
    });
    let legacy = client.send_rpc("tools/call", params.clone()).await;
    [legacy, client.send_modern_rpc("tools/call", params).await]
}

fn event_id(answer: &Answer) -> &Value {
    let result = &answer.body["result"];
    assert_eq!(result["isError"], false, "{}", answer.text);
    &result["structuredContent"]["event_id"]
}

#[tokio::test]
async fn a_call_with_a_key_in_its_metadata_has_one_effect() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let new = json!({ "title": "Uma vez", "channel": "x" });
    let [first, again] = create_in_both_versions(&agent, &json!("chave-um"), &new).await;
    assert_eq!(event_id(&first), event_id(&again));
    assert_eq!(app.count_rows("events").await, 1);
    // The key in the arguments equals the key in the metadata.
    let mut named = new.clone();
    named["idempotency_key"] = json!("chave-um");
    let [argument, both_given] = create_in_both_versions(&agent, &json!("chave-um"), &named).await;
    assert_eq!(event_id(&argument), event_id(&first));
    assert_eq!(event_id(&both_given), event_id(&first));
    let params = json!({ "name": "create_demand", "arguments": named });
    let alone = agent.send_rpc("tools/call", params).await;
    assert_eq!(event_id(&alone), event_id(&first));
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test]
async fn two_different_keys_are_a_field_error_and_nothing_happens() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let named = json!({ "title": "Nunca", "channel": "x", "idempotency_key": "chave-um" });
    for key in [json!("chave-dois"), json!(7), Value::Null] {
        for answer in create_in_both_versions(&agent, &key, &named).await {
            let text = answer.body["result"]["content"][0]["text"].as_str();
            let text = text.expect("a refusal");
            assert!(text.starts_with("INVALID_INPUT"), "{text}");
            assert!(text.contains("`idempotency_key` difere"), "{text}");
        }
    }
    for key in [json!(7), json!("x"), json!({})] {
        let new = json!({ "title": "Nunca", "channel": "x" });
        for answer in create_in_both_versions(&agent, &key, &new).await {
            let text = answer.body["result"]["content"][0]["text"].as_str();
            assert!(
                text.expect("a refusal")
                    .starts_with("INVALID_INPUT: Entrada inválida: `idempotency_key`"),
                "{}",
                answer.text
            );
        }
    }
    assert_eq!(app.count_rows("events").await, 0);
}

#[tokio::test]
async fn a_read_ignores_the_key() {
    let app = TestApp::new().await;
    let agent = agent_client(&app).await;
    let params = json!({ "name": "get_me", "_meta": { "idempotency-key": 7 } });
    for answer in [
        agent.send_rpc("tools/call", params.clone()).await,
        agent.send_modern_rpc("tools/call", params).await,
    ] {
        assert_eq!(answer.body["result"]["isError"], false, "{}", answer.text);
    }
}
