//! Elicitation when a call needs a connection that is missing: clients that can open URLs are asked
//! to open the page of connections.

use domain::{Capability, Role};
use serde_json::{Value, json};

use super::stage::{PUBLIC, Stage};
use crate::support::{Answer, Client};

/// Calls `get_shortvideo_creator_info` in protocol version 2026-07-28, as a client with these
/// capabilities.
async fn call_tool(client: &Client, capabilities: Value, more: Value) -> Answer {
    let mut params = json!({
        "name": "get_shortvideo_creator_info",
        "_meta": { "io.modelcontextprotocol/clientCapabilities": capabilities },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    client
        .send_modern_rpc("tools/call", params)
        .await
        .expect(200)
}

fn url_elicitation() -> Value {
    json!({ "elicitation": { "url": {} } })
}

fn elicitation_answer(action: &str) -> Value {
    json!({ "inputResponses": { "conexao": { "action": action } } })
}

#[track_caller]
fn assert_asked(answer: &Answer) {
    let result = &answer.body["result"];
    assert_eq!(result["resultType"], "input_required", "{}", answer.text);
    let asked = &result["inputRequests"]["conexao"];
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(asked["params"]["mode"], "url");
    assert_eq!(asked["params"]["url"], format!("{PUBLIC}/conexoes"));
    let message = asked["params"]["message"].as_str().expect("a text");
    assert!(message.contains("conectar TikTok"), "{message}");
    let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "pauta");
}

#[track_caller]
fn assert_refused(answer: &Answer) {
    let result = &answer.body["result"];
    assert_eq!(result["isError"], true, "{}", answer.text);
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("NOT_FOUND"), "{text}");
    assert!(text.contains(&format!("{PUBLIC}/conexoes")), "{text}");
    assert!(
        text.contains("Próximo passo: Um admin precisa conectar TikTok"),
        "{text}"
    );
}

#[tokio::test]
async fn an_admin_is_asked_to_connect_and_the_call_continues_afterwards() {
    let stage = Stage::new().await;
    stage.disconnect_account().await;
    let member = stage.app.add_member(Role::Admin).await;
    let agent = stage.app.token_client(&member).await;
    assert_asked(&call_tool(&agent, url_elicitation(), json!({})).await);
    // The user accepted, opened the page and did not connect there.
    assert_asked(&call_tool(&agent, url_elicitation(), elicitation_answer("accept")).await);
    stage.connect_account(super::ACCOUNT).await;
    let done = call_tool(&agent, url_elicitation(), elicitation_answer("accept")).await;
    assert_eq!(done.body["result"]["isError"], false, "{}", done.text);
    assert_eq!(done.body["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_client_that_declines_gets_the_refusal() {
    let stage = Stage::new().await;
    stage.disconnect_account().await;
    let member = stage.app.add_member(Role::Admin).await;
    let agent = stage.app.token_client(&member).await;
    for action in ["decline", "cancel"] {
        assert_refused(&call_tool(&agent, url_elicitation(), elicitation_answer(action)).await);
    }
}

#[tokio::test]
async fn clients_that_cannot_open_urls_get_the_refusal() {
    let stage = Stage::new().await;
    stage.disconnect_account().await;
    let member = stage.app.add_member(Role::Admin).await;
    let agent = stage.app.token_client(&member).await;
    for capabilities in [
        json!({}),
        json!({ "elicitation": {} }),
        json!({ "elicitation": { "form": {} } }),
    ] {
        assert_refused(&call_tool(&agent, capabilities, json!({})).await);
    }
    let params = json!({
        "name": "get_shortvideo_creator_info",
        "_meta": { "io.modelcontextprotocol/clientCapabilities": url_elicitation() },
    });
    assert_refused(&agent.send_rpc("tools/call", params).await.expect(200));
}

#[tokio::test]
async fn a_member_who_may_not_connect_gets_the_refusal_that_names_an_admin() {
    let stage = Stage::new().await;
    stage.disconnect_account().await;
    assert_refused(&call_tool(&stage.lead, url_elicitation(), json!({})).await);
    // An admin is asked even if their token is read-only, because the page uses the admin's own
    // session.
    let admin = stage.app.add_member(Role::Admin).await;
    let (reader, _) = stage
        .app
        .token_client_with(&admin, &[Capability::ConnectionsView])
        .await;
    assert_asked(&call_tool(&reader, url_elicitation(), json!({})).await);
}

#[tokio::test]
async fn after_an_elicitation_a_publication_happens_once_for_its_key() {
    let stage = Stage::new().await;
    stage.disconnect_account().await;
    let member = stage.app.add_member(Role::Admin).await;
    let agent = stage.app.token_client(&member).await;
    let media = super::upload_file(&agent, &super::jpeg_image(720, 1280, 1), None).await;
    let mut input = super::photos_input(&[media]);
    input["idempotency_key"] = json!("publicar-1");
    let params = json!({
        "name": "publish_shortvideo", "arguments": input,
        "_meta": { "io.modelcontextprotocol/clientCapabilities": url_elicitation() },
    });
    assert_asked(&agent.send_modern_rpc("tools/call", params.clone()).await);
    stage.connect_account(super::ACCOUNT).await;
    let mut again = params;
    again["inputResponses"] = elicitation_answer("accept")["inputResponses"].clone();
    let mut first = None;
    for _ in 0..2 {
        let done = agent.send_modern_rpc("tools/call", again.clone()).await;
        let result = &done.body["result"];
        assert_eq!(result["isError"], false, "{}", done.text);
        let id = result["structuredContent"]["publication_id"].clone();
        assert_eq!(first.get_or_insert(id.clone()), &id);
    }
}
