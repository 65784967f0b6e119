//! A call that cannot be undone is confirmed by a person, if the client can show a form.

use domain::Capability;
use gateway::{Effect, Verb};

use super::*;
use crate::support::{Answer, TestApp};

const FORM: &str = r#"{ "elicitation": { "form": {} } }"#;

async fn delete_draft(client: &Client, capabilities: &str, token: &str, more: Value) -> Answer {
    let capabilities: Value = serde_json::from_str(capabilities).expect("JSON");
    let mut params = json!({
        "name": "delete_email_draft",
        "arguments": {
            "templateId": "boas-vindas", "expected_updated_at": token,
            "idempotency_key": "apagar-um-rascunho",
        },
        "_meta": { "io.modelcontextprotocol/clientCapabilities": capabilities },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    client.send_modern_rpc("tools/call", params).await
}

fn confirmation_response(response: Value) -> Value {
    json!({ "inputResponses": { "confirmacao": response } })
}

#[track_caller]
fn assert_confirmation_requested(answer: &Answer) {
    let result = &answer.body["result"];
    assert_eq!(result["resultType"], "input_required", "{}", answer.text);
    let asked = &result["inputRequests"]["confirmacao"];
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(asked["params"]["mode"], "form");
    let form = &asked["params"]["requestedSchema"];
    assert_eq!(form["required"], json!(["confirmo"]), "{form}");
    assert_eq!(form["properties"]["confirmo"]["type"], "boolean", "{form}");
    let message = asked["params"]["message"].as_str().expect("a text");
    assert!(message.starts_with("Apagar este rascunho"), "{message}");
    assert!(message.contains("\ntemplateId: boas-vindas"), "{message}");
    assert!(!message.contains("idempotency"), "{message}");
}

async fn agent_with_draft() -> (TestApp, Client, String) {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let agent = app.token_client(&member).await;
    let token = create_draft(&agent, "boas-vindas", "<p>Olá</p>").await;
    (app, agent, token)
}

#[tokio::test]
async fn a_person_is_asked_before_a_draft_is_deleted() {
    let (app, agent, token) = agent_with_draft().await;
    assert_confirmation_requested(&delete_draft(&agent, FORM, &token, json!({})).await);
    let unclear = confirmation_response(json!({ "action": "accept", "content": {} }));
    assert_confirmation_requested(&delete_draft(&agent, FORM, &token, unclear).await);
    let other = json!({ "inputResponses": { "conexao": { "action": "accept" } } });
    assert_confirmation_requested(&delete_draft(&agent, FORM, &token, other).await);
    // A client that declares `elicitation` without a mode can show forms.
    let bare = r#"{ "elicitation": {} }"#;
    assert_confirmation_requested(&delete_draft(&agent, bare, &token, json!({})).await);
    for response in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "confirmo": false } }),
    ] {
        let refused = delete_draft(&agent, FORM, &token, confirmation_response(response)).await;
        let text = refused.body["result"]["content"][0]["text"].as_str();
        let text = text.expect("a text");
        assert!(text.starts_with("NOT_CONFIRMED: "), "{text}");
        assert!(text.contains("Próximo passo: Não repita"), "{text}");
    }
    assert_eq!(load_html(&agent, "boas-vindas").await, "<p>Olá</p>");
    assert_eq!(app.count_rows("idempotency_keys").await, 0);
    let asked = "audit_events WHERE action = 'delete_email_draft' AND outcome = 'failed'";
    assert_eq!(app.count_rows(asked).await, 7);
    let yes = confirmation_response(json!({ "action": "accept", "content": { "confirmo": true } }));
    for _ in 0..2 {
        let done = delete_draft(&agent, FORM, &token, yes.clone()).await;
        assert_eq!(done.body["result"]["isError"], false, "{}", done.text);
    }
    agent.get(&draft_path("boas-vindas")).await.expect(404);
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_that_would_be_refused() {
    let (app, agent, token) = agent_with_draft().await;
    let invalid = delete_draft(&agent, FORM, "ontem", json!({})).await;
    let text = invalid.body["result"]["content"][0]["text"].as_str();
    assert!(
        text.is_some_and(|text| text.starts_with("INVALID_INPUT")),
        "{}",
        invalid.text
    );
    let reader = app.add_member(Role::Criador).await;
    let (reader, _) = app
        .token_client_with(&reader, &[Capability::EmailDraftsView])
        .await;
    let hidden = delete_draft(&reader, FORM, &token, json!({})).await;
    assert!(hidden.body["result"].is_null(), "{}", hidden.text);
}

#[tokio::test]
async fn clients_that_show_no_forms_are_not_asked() {
    for capabilities in ["{}", r#"{ "elicitation": { "url": {} } }"#] {
        let (_app, agent, token) = agent_with_draft().await;
        let done = delete_draft(&agent, capabilities, &token, json!({})).await;
        assert_eq!(done.body["result"]["isError"], false, "{}", done.text);
    }
    // A legacy client declares its capabilities in `initialize`, so those in `_meta` are ignored.
    let (_app, agent, token) = agent_with_draft().await;
    let params = json!({
        "name": "delete_email_draft",
        "arguments": { "templateId": "boas-vindas", "expected_updated_at": token },
        "_meta": { "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } } },
    });
    let done = agent.send_rpc("tools/call", params).await;
    assert_eq!(done.body["result"]["isError"], false, "{}", done.text);
}

#[test]
fn every_tool_that_deletes_or_publishes_asks_first() {
    let tools = tools::operations().filter(|entry| entry.spec.tool);
    for entry in tools {
        let spec = &entry.spec;
        // Publishing a version of the configuration or of a skill needs no question, because
        // another version can replace it.
        // The decision about a publication lets a job publish it.
        let is_public = (spec.is_open_world() && spec.name.starts_with("publish_"))
            || spec.name == "decide_publication";
        let is_final = spec.verb == Verb::Delete || is_public;
        assert_eq!(spec.question.is_some(), is_final, "{}", spec.name);
        if let Some(question) = spec.question {
            assert_eq!(spec.effect, Effect::Destroy, "{}", spec.name);
            assert!(question.contains('?'), "{question}");
        }
    }
}
