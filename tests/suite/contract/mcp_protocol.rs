//! The Model Context Protocol over HTTP, in both of its eras.

use std::time::Duration;

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{
    OPERATIONS,
    domain::{Role, time::MINUTE},
    registry::{Access, Area, Context, Entry, Operation, Result, Spec, Verb},
};

use crate::support::{Answer, Client, TestApp};

const MODERN: &str = "2026-07-28";
const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/// What tells the protocol that a client is of the modern era.
const META: [&str; 2] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
];

async fn agent(app: &TestApp) -> Client {
    let member = app.member(Role::Admin).await;
    app.token(&member).await
}

async fn post(client: &Client, body: impl Into<String>) -> Answer {
    let body: String = body.into();
    client
        .send(Method::POST, "/api/mcp", Some(body.into()))
        .await
}

fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// The `_meta` that every modern request carries.
fn meta() -> Value {
    json!({ META[0]: MODERN, META[1]: {} })
}

/// A client that sends the headers of a modern request.
fn modern(client: &Client, method: &str) -> Client {
    client
        .with_header("mcp-protocol-version", MODERN)
        .with_header("mcp-method", method)
}

#[track_caller]
fn rpc_error(answer: &Answer, status: u16, code: i64) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.body["error"]["code"], code, "{}", answer.text);
    assert_eq!(answer.body["jsonrpc"], "2.0", "{}", answer.text);
    assert_eq!(answer.headers["content-type"], "application/json");
}

#[track_caller]
fn error_object(answer: &Answer, status: u16, code: &str) {
    assert_eq!(
        (answer.status, answer.code()),
        (status, code),
        "{}",
        answer.text
    );
    assert_eq!(
        answer.headers["content-type"], "application/json",
        "{}",
        answer.text
    );
    assert!(!answer.body["error"].as_str().expect("a message").is_empty());
}

// ---- HTTP

#[tokio::test]
async fn every_method_but_post_is_refused_after_the_credential() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let verb: Method = method.parse().expect("a method");
        let answer = app.anonymous().send(verb.clone(), "/api/mcp", None).await;
        error_object(&answer, 401, "UNAUTHENTICATED");
        let answer = agent.send(verb, "/api/mcp", None).await;
        error_object(&answer, 405, "METHOD_NOT_ALLOWED");
        assert_eq!(answer.headers["allow"], "POST", "{method}");
    }
    // A stream is asked for by GET; there is none.
    let stream = agent
        .with_header("accept", "text/event-stream")
        .get("/api/mcp")
        .await;
    error_object(&stream, 405, "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn only_json_is_accepted() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let list = message("tools/list", json!({})).to_string();
    let types = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "json",
    ];
    for media_type in types {
        let answer = post(&agent.with_header("content-type", media_type), &list).await;
        error_object(&answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    }
    for media_type in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
    ] {
        post(&agent.with_header("content-type", media_type), &list)
            .await
            .expect(200);
    }
    // The harness types a body that it sends; without one nothing is said.
    let answer = agent.send(Method::POST, "/api/mcp", None).await;
    error_object(&answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    let nobody = app.anonymous().with_header("content-type", "text/plain");
    error_object(&post(&nobody, &list).await, 401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn any_accept_is_served_as_json() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
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
            client.rpc("tools/list", json!({})).await,
            client.modern_rpc("tools/list", json!({})).await,
            client.rpc("tools/call", json!({ "name": "get_me" })).await,
        ] {
            let answer = answer.expect(200);
            assert_eq!(
                answer.headers["content-type"], "application/json",
                "{accept:?}"
            );
            assert!(answer.body["result"].is_object(), "{accept:?}");
            assert!(
                answer.headers.get("mcp-session-id").is_none(),
                "there are no sessions"
            );
        }
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused_with_the_error_object() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let list = message("tools/list", json!({}));
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
    for client in [agent.clone(), modern(&agent, "tools/list")] {
        for body in &bodies {
            error_object(&post(&client, body).await, 400, "INVALID_INPUT");
        }
    }
}

#[tokio::test]
async fn a_message_larger_than_any_call_is_refused() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let padded = |length: usize| {
        let list = message("tools/list", json!({})).to_string();
        format!("{list}{}", " ".repeat(length - list.len()))
    };
    let tools = OPERATIONS.iter().filter(|entry| entry.spec.tool);
    let largest = tools
        .map(|entry| entry.spec.body_limit)
        .max()
        .expect("a tool");
    let answer = post(&agent, padded(largest + 100_000)).await;
    error_object(&answer, 413, "PAYLOAD_TOO_LARGE");
    assert!(answer.body["details"]["limit"].as_u64().expect("a limit") >= largest as u64);
    post(&agent, padded(largest)).await.expect(200);
}

#[tokio::test]
async fn a_strange_host_or_origin_is_refused() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
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
            client.rpc("tools/list", json!({})).await,
            client.modern_rpc("tools/list", json!({})).await,
        ] {
            error_object(&answer, 403, "ORIGIN_NOT_ALLOWED");
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
            .rpc("tools/list", json!({}))
            .await
            .expect(200);
    }
}

// ---- Calls

#[tokio::test]
async fn a_call_that_cannot_be_routed_has_invalid_params() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let faulty = [
        json!({}),
        json!({ "arguments": {} }),
        json!({ "name": 7 }),
        json!({ "name": null, "arguments": {} }),
        json!({ "name": "get_me", "arguments": [] }),
        json!({ "name": "get_me", "arguments": "x" }),
        json!({ "name": "get_me", "arguments": 7 }),
        json!({ "name": "does_not_exist", "arguments": {} }),
        json!({ "name": "", "arguments": {} }),
        // Not a tool, although an operation.
        json!({ "name": "create_my_token", "arguments": { "label": "x" } }),
        json!({ "name": "GET_ME", "arguments": {} }),
    ];
    for params in faulty {
        rpc_error(&agent.rpc("tools/call", params).await, 200, -32602);
    }
    let absent = message("tools/call", Value::Null);
    rpc_error(&post(&agent, absent.to_string()).await, 200, -32602);
    for params in [
        json!({ "name": "does_not_exist" }),
        json!({ "name": "create_my_token" }),
    ] {
        rpc_error(&agent.modern_rpc("tools/call", params).await, 200, -32602);
    }
    let strange = json!({ "name": "get_me", "arguments": [] });
    let answer = agent.modern_rpc("tools/call", strange).await;
    assert_eq!(answer.body["error"]["code"], -32602, "{}", answer.text);
}

#[tokio::test]
async fn arguments_may_be_absent_or_empty() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    for params in [
        json!({ "name": "get_me" }),
        json!({ "name": "get_me", "arguments": {} }),
    ] {
        let legacy = agent.rpc("tools/call", params.clone()).await.expect(200);
        let modern = agent.modern_rpc("tools/call", params).await.expect(200);
        for answer in [legacy, modern] {
            assert_eq!(answer.body["result"]["isError"], false, "{}", answer.text);
            assert_eq!(answer.body["id"], 1);
        }
    }
}

#[tokio::test]
async fn an_unknown_method_is_not_found() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let methods = [
        "completion/complete",
        "resources/subscribe",
        "logging/setLevel",
        "tasks/list",
        "does/not/exist",
        "tools",
        "",
    ];
    for method in methods {
        rpc_error(&agent.rpc(method, json!({})).await, 200, -32601);
        if !method.is_empty() {
            rpc_error(&agent.modern_rpc(method, json!({})).await, 404, -32601);
        }
    }
    let completion = json!({
        "ref": { "type": "ref/prompt", "name": "x" },
        "argument": { "name": "a", "value": "b" },
    });
    rpc_error(
        &agent.rpc("completion/complete", completion.clone()).await,
        200,
        -32601,
    );
    rpc_error(
        &agent.modern_rpc("completion/complete", completion).await,
        404,
        -32601,
    );
}

#[tokio::test]
async fn a_domain_refusal_is_a_tool_error_without_structured_content() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let params = json!({ "name": "save_draft", "arguments": { "event_id": "x" } });
    for answer in [
        agent.rpc("tools/call", params.clone()).await.expect(200),
        agent.modern_rpc("tools/call", params).await.expect(200),
    ] {
        let result = &answer.body["result"];
        assert_eq!(result["isError"], true, "{}", answer.text);
        assert!(result.get("structuredContent").is_none(), "{}", answer.text);
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.starts_with("INVALID_INPUT: "), "{text}");
        assert!(text.contains("expected_revision"), "{text}");
    }
}

#[tokio::test]
async fn a_notification_is_accepted_without_an_answer() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let notifications = [
        ("notifications/initialized", json!({})),
        (
            "notifications/cancelled",
            json!({ "requestId": 1, "reason": "x" }),
        ),
        ("notifications/does_not_exist", json!({})),
    ];
    for (method, params) in notifications {
        let body = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        let legacy = post(&agent, body.to_string()).await.expect(202);
        let modern = post(&modern(&agent, method), body.to_string())
            .await
            .expect(202);
        assert_eq!(
            (legacy.text.as_str(), modern.text.as_str()),
            ("", ""),
            "{method}"
        );
    }
}

#[tokio::test]
async fn an_answer_to_nothing_is_refused() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let error = json!({ "code": -32000, "message": "x" });
    for (field, value) in [("result", json!({})), ("error", error)] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, field: value });
        error_object(&post(&agent, body.to_string()).await, 400, "INVALID_INPUT");
    }
}

// ---- The era of `initialize`

#[tokio::test]
async fn initialize_answers_with_the_version_of_the_client() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    for version in LEGACY {
        let params = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "suite", "version": "1" },
        });
        let answer = post(&agent, message("initialize", params).to_string())
            .await
            .expect(200);
        let result = &answer.body["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "pauta");
        assert_eq!(result["serverInfo"]["version"], "1.3.0");
        assert!(
            result["capabilities"]["tools"].is_object(),
            "{}",
            answer.text
        );
        assert!(
            result["instructions"]
                .as_str()
                .expect("text")
                .contains("get_me")
        );
        for undeclared in ["completions", "logging", "tasks"] {
            assert!(
                result["capabilities"].get(undeclared).is_none(),
                "{undeclared}"
            );
        }
        assert!(result.get("resultType").is_none(), "{}", answer.text);
        assert!(answer.headers.get("mcp-session-id").is_none());

        let client = agent.with_header("mcp-protocol-version", version);
        let answer = post(&client, message("ping", json!({})).to_string())
            .await
            .expect(200);
        assert_eq!(answer.body["result"], json!({}), "{version}");
        let list = message("tools/list", json!({})).to_string();
        let answer = post(&client, list).await.expect(200);
        assert!(
            !answer.body["result"]["tools"]
                .as_array()
                .expect("a list")
                .is_empty()
        );
    }
}

#[tokio::test]
async fn initialize_offers_the_newest_version_to_a_client_of_another() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    for version in ["2099-01-01", "1999-01-01", "x"] {
        let params = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "suite", "version": "1" },
        });
        let answer = post(&agent, message("initialize", params).to_string())
            .await
            .expect(200);
        assert_eq!(
            answer.body["result"]["protocolVersion"], LEGACY[0],
            "{}",
            answer.text
        );
    }
}

#[tokio::test]
async fn old_results_carry_nothing_of_the_modern_era() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "get_me", "arguments": {} })),
        (
            "tools/call",
            json!({ "name": "get_event", "arguments": {} }),
        ),
    ] {
        let answer = agent.rpc(method, params).await.expect(200);
        for field in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            assert!(
                answer.body["result"].get(field).is_none(),
                "{field}: {}",
                answer.text
            );
        }
    }
}

#[tokio::test]
async fn a_client_that_names_no_version_is_an_old_one() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let answer = post(&agent, message("tools/list", json!({})).to_string())
        .await
        .expect(200);
    assert!(
        answer.body["result"].get("resultType").is_none(),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn an_unsupported_version_header_is_refused() {
    let app = TestApp::new().await;
    let client = agent(&app)
        .await
        .with_header("mcp-protocol-version", "1999-01-01");
    let answer = post(&client, message("tools/list", json!({})).to_string()).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_eq!(answer.headers["content-type"], "application/json");
}

// ---- The stateless era

#[tokio::test]
async fn a_modern_client_discovers_the_server() {
    let app = TestApp::new().await;
    let answer = agent(&app)
        .await
        .modern_rpc("server/discover", json!({}))
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
    let agent = agent(&app).await;
    let list = agent
        .modern_rpc("tools/list", json!({}))
        .await
        .expect(200)
        .body;
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "private");
    assert!(list["result"]["ttlMs"].is_u64());
    let legacy = agent.rpc("tools/list", json!({})).await.expect(200).body;
    assert_eq!(list["result"]["tools"], legacy["result"]["tools"]);
    for (name, is_error) in [("get_me", false), ("get_event", true)] {
        let params = json!({ "name": name, "arguments": {} });
        let result = agent
            .modern_rpc("tools/call", params)
            .await
            .expect(200)
            .body["result"]
            .clone();
        assert_eq!(result["resultType"], "complete", "{result}");
        assert_eq!(result["isError"], is_error, "{result}");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(
            (&server["name"], &server["version"]),
            (&json!("pauta"), &json!("1.3.0"))
        );
    }
}

#[tokio::test]
async fn a_modern_request_without_its_meta_is_refused() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let call = |meta: Option<Value>| {
        let mut params = json!({ "name": "get_me", "arguments": {} });
        if let Some(meta) = meta {
            params["_meta"] = meta;
        }
        let client = modern(&agent, "tools/call").with_header("mcp-name", "get_me");
        async move { post(&client, message("tools/call", params).to_string()).await }
    };
    rpc_error(&call(None).await, 400, -32602);
    rpc_error(&call(Some(json!({}))).await, 400, -32602);
    rpc_error(&call(Some(json!({ META[0]: MODERN }))).await, 400, -32602);
    rpc_error(&call(Some(json!({ META[1]: {} }))).await, 400, -32602);
    call(Some(meta())).await.expect(200);
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let params = json!({ "name": "get_me", "arguments": {}, "_meta": meta() });
    let body = message("tools/call", params).to_string();
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
        let answer = post(&headers(version, method, name), &body).await;
        rpc_error(&answer, 400, -32020);
    }
    post(&headers(MODERN, "tools/call", "get_me"), &body)
        .await
        .expect(200);
}

#[tokio::test]
async fn an_unsupported_modern_version_is_refused() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    for method in ["tools/list", "server/discover"] {
        let params = json!({ "_meta": { META[0]: "2099-01-01", META[1]: {} } });
        let client = agent
            .with_header("mcp-protocol-version", "2099-01-01")
            .with_header("mcp-method", method);
        let answer = post(&client, message(method, params).to_string()).await;
        rpc_error(&answer, 400, -32022);
        let supported = answer.body["error"]["data"]["supported"]
            .as_array()
            .expect("versions");
        assert!(supported.contains(&json!(MODERN)), "{}", answer.text);
    }
}

#[tokio::test]
async fn the_order_of_the_tools_never_changes() {
    let app = TestApp::new().await;
    let agent = agent(&app).await;
    let first = agent.tools().await;
    for _ in 0..3 {
        assert_eq!(agent.tools().await, first);
    }
    let table: Vec<&str> = OPERATIONS.iter().map(|entry| entry.spec.name).collect();
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

// ---- Operations that go wrong

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
    async fn act(self) -> Result<Acted> {
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
                .area(Area::System)
                .access(Access::AnyMember)
                .tool()
                $(.$step($($bytes)?))*;
            type Output = Acted;

            async fn run(self, _: &Context<'_>) -> Result<Acted> {
                self.how.act().await
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
    Entry::of::<Look>(),
    Entry::of::<ActHere>(),
    Entry::of::<ActOutside>(),
    Entry::of::<ActOnMuch>(),
];

/// How long an operation may run where one never ends.
const SHORT: Duration = Duration::from_millis(250);
const LONG: Duration = Duration::from_secs(30);

/// A service of nothing but these operations.
async fn acting(patience: Duration) -> (TestApp, Client) {
    let app = TestApp::with_table(&ACTS, patience).await;
    let member = app.member(Role::Admin).await;
    let token = app.token(&member).await;
    (app, token)
}

async fn by_rest(client: &Client, verb: Verb, how: &str) -> Answer {
    let input = json!({ "how": how });
    match verb {
        Verb::Get => client.get(&format!("/api/teste?how={how}")).await,
        Verb::Put => client.put("/api/teste", input).await,
        Verb::Patch => client.patch("/api/teste", input).await,
        _ => client.post("/api/teste", input).await,
    }
}

#[tokio::test]
async fn a_panic_or_an_endless_call_is_an_internal_error_and_the_service_goes_on() {
    let (_app, client) = acting(SHORT).await;
    for entry in &ACTS {
        let tool = entry.spec.name;
        for how in ["panic", "hang"] {
            let answer = by_rest(&client, entry.spec.verb, how).await;
            error_object(&answer, 500, "INTERNAL");
            assert!(!answer.text.contains("segredo"), "{}", answer.text);
            let params = json!({ "name": tool, "arguments": { "how": how } });
            for answer in [
                client.rpc("tools/call", params.clone()).await.expect(200),
                client.modern_rpc("tools/call", params).await.expect(200),
            ] {
                let result = &answer.body["result"];
                assert_eq!(result["isError"], true, "{tool}, {how}: {}", answer.text);
                let text = result["content"][0]["text"].as_str().expect("text");
                assert!(text.starts_with("INTERNAL: "), "{tool}, {how}: {text}");
                assert!(!text.contains("segredo"), "{text}");
            }
            by_rest(&client, entry.spec.verb, "answer")
                .await
                .expect(200);
            let result = client.call(tool, json!({ "how": "answer" })).await;
            assert_eq!(result.structured, json!({ "text": "feito" }));
        }
    }
}

#[tokio::test]
async fn a_key_is_free_again_when_a_local_write_broke_off() {
    let (_app, client) = acting(SHORT).await;
    let keyed = client.with_key("uma-chave-1");
    for how in ["panic", "hang"] {
        by_rest(&keyed, Verb::Post, how)
            .await
            .refused(500, "INTERNAL");
    }
    // Nothing was written, so that even another request may take the key.
    by_rest(&keyed, Verb::Post, "answer").await.expect(200);
    by_rest(&keyed, Verb::Post, "panic")
        .await
        .refused(409, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn a_key_is_never_repeated_when_an_outside_call_broke_off() {
    let (app, client) = acting(SHORT).await;
    for (how, key) in [("panic", "uma-chave-1"), ("hang", "uma-chave-2")] {
        let keyed = client.with_key(key);
        by_rest(&keyed, Verb::Put, how)
            .await
            .refused(500, "INTERNAL");
        by_rest(&keyed, Verb::Put, how)
            .await
            .refused(409, "OUTCOME_UNKNOWN");
        app.pass(10 * MINUTE);
        by_rest(&keyed, Verb::Put, how)
            .await
            .refused(409, "OUTCOME_UNKNOWN");
    }
}

#[tokio::test]
async fn a_result_over_100_kilobytes_is_not_sent_as_a_tool_result() {
    let (_app, client) = acting(LONG).await;
    for entry in &ACTS {
        let answer = by_rest(&client, entry.spec.verb, "answer_at_length")
            .await
            .expect(200);
        assert!(answer.text.len() > 100_000);
        let result = client
            .call(entry.spec.name, json!({ "how": "answer_at_length" }))
            .await;
        assert!(result.is_error && result.structured.is_null());
        assert!(
            result.text.starts_with("RESULT_TOO_LARGE: "),
            "{}",
            result.text
        );
        assert!(result.text.contains("Próximo passo: "), "{}", result.text);
    }
}

#[tokio::test]
async fn the_body_limit_of_an_operation_is_the_same_on_both_doors() {
    let (_app, client) = acting(LONG).await;
    let filled = |bytes: usize| json!({ "how": "answer", "filler": "x".repeat(bytes) });
    let refused = client.post("/api/teste", filled(1_100_000)).await;
    error_object(&refused, 413, "PAYLOAD_TOO_LARGE");
    assert_eq!(refused.body["details"]["limit"], 1_000_000);
    let result = client.call("act_here", filled(1_100_000)).await;
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
        let result = client.call(tool, filled(bytes)).await;
        assert_eq!(
            result.structured,
            json!({ "text": "feito" }),
            "{}",
            result.text
        );
    }
}
