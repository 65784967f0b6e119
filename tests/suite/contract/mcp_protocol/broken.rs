//! Operations that panic, never end or return too much, over both interfaces.

use std::time::Duration;

use domain::{Role, time::MINUTE};
use futures::{FutureExt, future::BoxFuture};
use gateway::{Access, Context, Entry, Operation, Result, Spec, Verb};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::assert_error_object;
use crate::support::{Answer, Client, TestApp};

/// O que a operação de teste faz.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum How {
    Answer,
    Panic,
    Hang,
    AnswerAtLength,
}

impl How {
    async fn perform_action(self) -> Result<Acted> {
        match self {
            How::Answer => Ok(Acted {
                text: "feito".into(),
            }),
            How::Panic => panic!("um segredo que ninguém deve ler"),
            How::Hang => std::future::pending().await,
            How::AnswerAtLength => Ok(Acted {
                text: "x".repeat(100_000),
            }),
        }
    }
}

/// Resposta de teste.
#[derive(Debug, Serialize, JsonSchema)]
struct Acted {
    text: String,
}

macro_rules! acts {
    ($($name:ident = $tool:literal, $verb:ident, $path:literal $(, $step:ident($($bytes:literal)?))*;)+) => {$(
        /// Faz o que o teste pede.
        #[derive(Debug, Deserialize, JsonSchema)]
        struct $name {
            /// O que fazer.
            how: How,
            /// Texto sem uso.
            #[expect(dead_code, reason = "only its length matters")]
            filler: Option<String>,
        }

        impl Operation for $name {
            const SPEC: Spec = Spec::new($tool, "Agir", Verb::$verb, $path)
                .access(Access::AnyMember)
                .tool()
                $(.$step($($bytes)?))*;
            type Output = Acted;

            async fn run(self, _: &Context<'_>) -> Result<Acted> {
                self.how.perform_action().await
            }
        }
    )+};
}

acts! {
    Look = "look", Get, "/api/teste";
    ActHere = "act_here", Post, "/api/teste";
    ActOutside = "act_outside", Put, "/api/teste", outside();
    ActOnMuch = "act_on_much", Patch, "/api/teste", body_limit(5_000_000);
}

const ACTS: [Entry; 4] = [
    Entry::for_operation::<Look>(),
    Entry::for_operation::<ActHere>(),
    Entry::for_operation::<ActOutside>(),
    Entry::for_operation::<ActOnMuch>(),
];

/// The timeout in tests with an operation that never ends.
const SHORT: Duration = Duration::from_millis(250);
const LONG: Duration = Duration::from_secs(30);

/// Creates a service with only these operations.
async fn service_with_operations(timeout: Duration) -> (TestApp, Client) {
    let app = TestApp::with_table(&ACTS, timeout).await;
    let member = app.add_member(Role::Admin).await;
    let token = app.token_client(&member).await;
    (app, token)
}

async fn call_by_rest(client: &Client, verb: Verb, how: &str) -> Answer {
    let input = json!({ "how": how });
    match verb {
        Verb::Get => client.get(&format!("/api/teste?how={how}")).await,
        Verb::Put => client.put("/api/teste", input).await,
        Verb::Patch => client.patch("/api/teste", input).await,
        _ => client.post("/api/teste", input).await,
    }
}

#[tokio::test]
async fn a_panic_or_an_endless_call_is_an_internal_error_and_the_service_continues() {
    let (_app, client) = service_with_operations(SHORT).await;
    for entry in &ACTS {
        let tool = entry.spec.name;
        for how in ["panic", "hang"] {
            let answer = call_by_rest(&client, entry.spec.verb, how).await;
            assert_error_object(&answer, 500, "INTERNAL");
            assert!(!answer.text.contains("segredo"), "{}", answer.text);
            let params = json!({ "name": tool, "arguments": { "how": how } });
            for answer in [
                client
                    .send_rpc("tools/call", params.clone())
                    .await
                    .expect(200),
                client
                    .send_modern_rpc("tools/call", params)
                    .await
                    .expect(200),
            ] {
                let result = &answer.body["result"];
                assert_eq!(result["isError"], true, "{tool}, {how}: {}", answer.text);
                let text = result["content"][0]["text"].as_str().expect("text");
                assert!(text.starts_with("INTERNAL: "), "{tool}, {how}: {text}");
                assert!(!text.contains("segredo"), "{text}");
            }
            call_by_rest(&client, entry.spec.verb, "answer")
                .await
                .expect(200);
            let result = client.call_tool(tool, json!({ "how": "answer" })).await;
            assert_eq!(result.structured, json!({ "text": "feito" }));
        }
    }
}

#[tokio::test]
async fn after_an_aborted_local_write_its_key_is_free() {
    let (_app, client) = service_with_operations(SHORT).await;
    let keyed = client.with_idempotency_key("uma-chave-1");
    for how in ["panic", "hang"] {
        call_by_rest(&keyed, Verb::Post, how)
            .await
            .expect_refusal(500, "INTERNAL");
    }
    // Nothing was written, so the key can be used for another request.
    call_by_rest(&keyed, Verb::Post, "answer").await.expect(200);
    call_by_rest(&keyed, Verb::Post, "panic")
        .await
        .expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn an_aborted_outside_call_is_never_repeated_with_its_key() {
    let (app, client) = service_with_operations(SHORT).await;
    for (how, key) in [("panic", "uma-chave-1"), ("hang", "uma-chave-2")] {
        let keyed = client.with_idempotency_key(key);
        call_by_rest(&keyed, Verb::Put, how)
            .await
            .expect_refusal(500, "INTERNAL");
        call_by_rest(&keyed, Verb::Put, how)
            .await
            .expect_refusal(409, "OUTCOME_UNKNOWN");
        app.advance_clock(10 * MINUTE);
        call_by_rest(&keyed, Verb::Put, how)
            .await
            .expect_refusal(409, "OUTCOME_UNKNOWN");
    }
}

#[tokio::test]
async fn a_local_write_ends_when_its_caller_disconnects() {
    let (_app, client) = service_with_operations(LONG).await;
    let endless = json!({ "name": "act_here", "arguments": { "how": "hang" } });
    // The protocol library, not the direct dispatch, handles requests with the header `origin`.
    let browser = client.with_header("origin", "http://127.0.0.1:8080");
    let calls: [BoxFuture<'_, Answer>; 5] = [
        async { call_by_rest(&client, Verb::Post, "hang").await }.boxed(),
        client.send_rpc("tools/call", endless.clone()).boxed(),
        client
            .send_modern_rpc("tools/call", endless.clone())
            .boxed(),
        browser.send_rpc("tools/call", endless.clone()).boxed(),
        browser.send_modern_rpc("tools/call", endless).boxed(),
    ];
    for call in calls {
        let waited = tokio::time::timeout(SHORT, call).await;
        assert!(
            waited.is_err(),
            "the call ended although its operation never ends"
        );
        // The next write succeeds, because the aborted call has released the write connection.
        let next = call_by_rest(&client, Verb::Post, "answer");
        let next = tokio::time::timeout(LONG / 3, next).await;
        next.expect("the writer is free").expect(200);
    }
}

#[tokio::test]
async fn a_result_over_100_kilobytes_is_not_sent_as_a_tool_result() {
    let (_app, client) = service_with_operations(LONG).await;
    for entry in &ACTS {
        let answer = call_by_rest(&client, entry.spec.verb, "answer_at_length")
            .await
            .expect(200);
        assert!(answer.text.len() > 100_000);
        let result = client
            .call_tool(entry.spec.name, json!({ "how": "answer_at_length" }))
            .await;
        assert!(result.is_error && result.structured.is_null());
        assert!(
            result.text.starts_with("RESULT_TOO_LARGE: "),
            "{}",
            result.text
        );
        assert!(result.text.contains("Próximo passo: "), "{}", result.text);
        let happened = result.text.contains("teve efeito") && result.text.contains("Não repita");
        assert_eq!(happened, entry.spec.is_write(), "{}", result.text);
    }
}

#[tokio::test]
async fn the_body_limit_of_an_operation_is_the_same_on_both_interfaces() {
    let (_app, client) = service_with_operations(LONG).await;
    let filled = |bytes: usize| json!({ "how": "answer", "filler": "x".repeat(bytes) });
    let refused = client.post("/api/teste", filled(1_100_000)).await;
    assert_error_object(&refused, 413, "PAYLOAD_TOO_LARGE");
    assert_eq!(refused.body["details"]["limit"], 1_000_000);
    let result = client.call_tool("act_here", filled(1_100_000)).await;
    assert!(result.is_error && result.structured.is_null());
    let message = refused.body["error"].as_str().expect("a message");
    assert!(
        result
            .text
            .starts_with(&format!("PAYLOAD_TOO_LARGE: {message}")),
        "{}",
        result.text
    );
    client.post("/api/teste", filled(990_000)).await.expect(200);
    client
        .patch("/api/teste", filled(4_990_000))
        .await
        .expect(200);
    for (tool, bytes) in [("act_here", 990_000), ("act_on_much", 4_990_000)] {
        let result = client.call_tool(tool, filled(bytes)).await;
        assert_eq!(
            result.structured,
            json!({ "text": "feito" }),
            "{}",
            result.text
        );
    }
}
