//! A renamed tool: its earlier name can still be called, but is not listed.

use std::{collections::BTreeSet, time::Duration};

use domain::{Capability, Role};
use gateway::{Access, Context, Entry, Operation, Result, Spec, Verb};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::operations;

use crate::support::TestApp;

/// Devolve o texto.
#[derive(Debug, Deserialize, JsonSchema)]
struct RepeatText {
    /// O texto.
    text: String,
}

/// O texto devolvido.
#[derive(Debug, Serialize, JsonSchema)]
struct Repeated {
    text: String,
}

impl Operation for RepeatText {
    const SPEC: Spec = Spec::new("repeat_text", "Repetir", Verb::Post, "/api/teste")
        .access(Access::Member(Capability::TeamAdmin))
        .tool()
        .formerly(&["echo", "say_again"]);
    type Output = Repeated;

    async fn run(self, _: &Context<'_>) -> Result<Repeated> {
        Ok(Repeated { text: self.text })
    }
}

const RENAMED: [Entry; 1] = [Entry::for_operation::<RepeatText>()];

#[tokio::test]
async fn an_earlier_name_is_answered_like_the_current_one_and_is_not_listed() {
    let app = TestApp::with_table(&RENAMED, Duration::from_secs(30)).await;
    let token = app.token_client(&app.add_member(Role::Admin).await).await;
    let call = |name: &str, text: &str| {
        let arguments = json!({ "text": text, "idempotency_key": "uma-chave-de-teste" });
        json!({ "name": name, "arguments": arguments })
    };
    let first = token
        .send_rpc("tools/call", call("repeat_text", "oi"))
        .await;
    let first = first.expect(200).body["result"].clone();
    for name in ["repeat_text", "echo", "say_again"] {
        for answer in [
            token
                .send_rpc("tools/call", call(name, "oi"))
                .await
                .expect(200),
            token
                .send_modern_rpc("tools/call", call(name, "oi"))
                .await
                .expect(200),
        ] {
            let result = &answer.body["result"];
            assert_eq!(result["structuredContent"], first["structuredContent"]);
        }
        // The key belongs to the operation, so the other name cannot reuse it.
        let other = token.send_rpc("tools/call", call(name, "tchau")).await;
        let text = other.expect(200).body["result"]["content"][0]["text"].clone();
        let text = text.as_str().expect("text");
        assert!(text.starts_with("IDEMPOTENCY_"), "{name}: {text}");
    }
    let listed = token.send_rpc("tools/list", json!({})).await.expect(200);
    let tools = listed.body["result"]["tools"].as_array().expect("tools");
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["repeat_text"]);
}

#[tokio::test]
async fn an_earlier_name_of_a_withheld_tool_is_unknown() {
    let app = TestApp::with_table(&RENAMED, Duration::from_secs(30)).await;
    let token = app.token_client(&app.add_member(Role::Criador).await).await;
    for name in ["repeat_text", "echo", "nothing"] {
        let params = json!({ "name": name, "arguments": { "text": "oi" } });
        let answer = token.send_rpc("tools/call", params).await;
        let error = &answer.body["error"];
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with("Ferramenta desconhecida"), "{message}");
    }
}

#[test]
fn no_name_is_both_current_and_earlier() {
    let mut names = BTreeSet::new();
    for entry in operations().chain(&RENAMED) {
        for name in entry.spec.names() {
            assert!(names.insert(name), "{name} is used twice");
        }
    }
}
