//! A refusal for a missing capability names the cause: the token, the agent, the API level or the
//! role.

use domain::{Capability, Level, Role};
use serde_json::{Value, json};

use super::{Person, exchange_code};
use crate::{
    authorization::{CALLBACK, agent_client, register_client},
    support::{Client, TestApp},
};

/// Returns what `get_me` says about a missing capability: the cause (token, agent, level or role),
/// and the roles that have the capability.
async fn missing_capability(client: &Client, capability: &str) -> (Value, Value) {
    let me = client.call_tool("get_me", json!({})).await.structured;
    let withheld = me["withheld"].as_array().expect("a list").clone();
    let names = |one: &&Value| {
        one["caps"]
            .as_array()
            .expect("a list")
            .contains(&json!(capability))
    };
    let from = withheld.iter().find(names);
    if let Some(from) = from {
        assert!(
            from["next"]
                .as_str()
                .is_some_and(|next| next.starts_with("Não contorne"))
        );
    }
    let from = from.map_or(Value::Null, |from| from["missing_from"].clone());
    (from, me["missing"][capability].clone())
}

#[tokio::test]
async fn a_refusal_names_the_token_if_it_was_created_without_the_capability() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (token, _) = app.token_client_with(&lead, &[Capability::TasksView]).await;
    let refused = token.post("/api/aprovar", json!({})).await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let said = refused.body["error"].as_str().expect("a sentence");
    assert!(
        said.starts_with("Este token foi criado sem a permissão `approve`"),
        "{said}"
    );
    assert_eq!(refused.body["details"]["missing_from"], "token");
    assert!(refused.body["details"]["roles"].is_array());
    assert_eq!(
        missing_capability(&token, "approve").await,
        (json!("token"), Value::Null)
    );
    // If the person lacks the capability too, they can ask for a role that has it.
    assert_eq!(
        missing_capability(&token, "config").await,
        (Value::Null, json!(["admin"]))
    );
}

#[tokio::test]
async fn a_refusal_names_the_api_level_if_the_role_has_the_capability() {
    let app = TestApp::new().await;
    let lead = app.add_member_with(Role::Lider, Level::Leitor, false).await;
    let token = app.token_client(&lead).await;
    let refused = token.post("/api/aprovar", json!({})).await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    assert!(
        refused
            .text
            .contains("O nível de API da pessoa não alcança"),
        "{}",
        refused.text
    );
    assert_eq!(refused.body["details"]["missing_from"], "api_level");
    assert_eq!(
        missing_capability(&token, "approve").await,
        (json!("api_level"), Value::Null)
    );
    // The API level does not limit a session.
    let session = app.session_client(&lead).await;
    assert_eq!(
        missing_capability(&session, "approve").await,
        (Value::Null, Value::Null)
    );
}

#[tokio::test]
async fn a_refusal_names_the_agent_in_the_same_words_on_every_interface() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut person = Person::sign_in(&app, &lead).await;
    let code = person.allow_client(&client_id).await;
    let tokens = exchange_code(&app, &client_id, &code)
        .await
        .expect(200)
        .body;
    let agent = agent_client(&app, &tokens);
    let params = json!({ "name": "decide_approval", "arguments": {} });
    let refused = agent.send_rpc("tools/call", params).await;
    let refused = refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let said = refused.body["error"]["message"]
        .as_str()
        .expect("a sentence");
    assert_eq!(
        said,
        "Este agente não recebeu a permissão `approve`: conecte-o de novo e marque “Aprovar, recusar \
         e reabrir eventos, e comentar”."
    );
    assert_eq!(
        refused.body["error"]["data"]["details"]["missing_from"],
        "agent"
    );
    assert_eq!(
        missing_capability(&agent, "approve").await,
        (json!("agent"), Value::Null)
    );
    assert_eq!(
        missing_capability(&agent, "config").await,
        (Value::Null, json!(["admin"]))
    );
}

#[tokio::test]
async fn a_refusal_that_depends_on_the_input_is_the_same_over_rest_and_mcp() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (token, _) = app.token_client_with(&lead, &[Capability::Publish]).await;
    let id = app
        .as_member(Role::Lider)
        .await
        .create_demand(json!({}))
        .await;
    let change = json!({ "expected_revision": 1, "title": "B" });
    let rest = token.patch(&format!("/api/eventos/{id}"), change).await;
    let rest = rest.expect_refusal(403, "CAPABILITY_REQUIRED");
    let change = json!({ "eventId": id, "expected_revision": 1, "title": "B" });
    let tool = token.call_tool("update_event", change).await;
    let said = rest.body["error"].as_str().expect("a sentence");
    assert!(
        said.starts_with("Este token foi criado sem a permissão `tasks_assign`"),
        "{said}"
    );
    assert!(tool.text.contains(said), "{}", tool.text);
}
