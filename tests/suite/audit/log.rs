//! The log lines of a request.

use std::time::Duration;

use domain::{Error, Role};
use gateway::{Access, Context, Entry, Operation, Result, Spec, Verb};
use pauta::cli::log_filter;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tracing_subscriber::fmt::format::FmtSpan;

use crate::{
    authorization::{agent_client, service_with_agent},
    support::{Log, TestApp, log_to},
};

#[tokio::test]
async fn each_request_has_one_log_line_with_its_id_and_without_its_query() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(log_filter("info,pauta=debug"))
        .with_writer(log.clone())
        .finish();
    let app = TestApp::new().await;
    let lead = app
        .as_member(Role::Lider)
        .await
        .with_address("198.51.100.7")
        .with_header("x-request-id", "pedido-7");
    let guard = log_to(subscriber);
    lead.get("/api/eventos?q=festa").await.expect(200);
    lead.get("/nada").await.expect(404);
    let id = lead.create_demand(json!({})).await;
    for path in [&*id, "ana@exemplo.com.br", "%0a", "svc_live_x"] {
        lead.get(&format!("/api/eventos/{path}")).await;
    }
    lead.get("/ana@exemplo.com.br/x").await.expect(404);
    lead.get(&format!("/nada/{}", "x".repeat(33)))
        .await
        .expect(404);
    drop(guard);
    let lines: Vec<Value> = log
        .captured_text()
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line["path"].as_str().expect("text"), &line["status"]))
        .collect();
    assert_eq!(
        told,
        [
            ("/api/eventos", &json!(200)),
            ("/nada", &json!(404)),
            ("/api/demanda", &json!(200)),
            (&*format!("/api/eventos/{id}"), &json!(200)),
            ("/api/eventos/{eventId}", &json!(404)),
            ("/api/eventos/{eventId}", &json!(404)),
            ("/api/eventos/{eventId}", &json!(404)),
            ("/*/x", &json!(404)),
            ("/nada/*", &json!(404)),
        ]
    );
    for line in &lines {
        assert_eq!(
            (&line["message"], &line["level"]),
            (&json!("pedido"), &json!("DEBUG"))
        );
        assert_eq!(line["request_id"], "pedido-7");
        assert_eq!(line["address"], "198.51.100.7");
        assert!(line["elapsed_us"].is_u64());
    }
}

/// Não termina bem.
#[derive(Debug, Deserialize, JsonSchema)]
struct Break {}

impl Operation for Break {
    const SPEC: Spec =
        Spec::new("break", "Quebrar", Verb::Get, "/api/quebrar").access(Access::AnyMember);
    type Output = ();

    async fn run(self, _: &Context<'_>) -> Result<()> {
        tracing::warn!("on the way");
        Err(Error::internal("a cause for the log alone"))
    }
}

#[tokio::test]
async fn every_log_line_of_a_call_names_its_operation_interface_and_request() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(log_filter("info"))
        .with_writer(log.clone())
        .finish();
    let app =
        TestApp::with_table(&[Entry::for_operation::<Break>()], Duration::from_secs(30)).await;
    let member = app.add_member(Role::Lider).await;
    let token = app.token_client(&member).await;
    let token = token.with_header("x-request-id", "pedido-8");
    let guard = log_to(subscriber);
    token
        .get("/api/quebrar")
        .await
        .expect_refusal(500, "INTERNAL");
    drop(guard);
    let text = log.captured_text();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2, "{text}");
    for line in lines {
        assert_eq!(
            line["span"],
            json!({
                "name": "call", "operation": "break", "door": "rest", "request_id": "pedido-8",
                "member": member.id.as_str(),
            })
        );
    }
}

#[tokio::test]
async fn lines_of_requests_and_calls_name_the_member_and_the_agent() {
    let (app, member, _, tokens) = service_with_agent().await;
    let agents = app
        .session_client(&member)
        .await
        .get("/api/access/agents")
        .await
        .expect(200);
    let agent_id = agents.body["agents"][0]["id"].clone();
    assert!(agent_id.is_string(), "{}", agents.text);
    let person = app
        .token_client(&member)
        .await
        .with_header("x-request-id", "pessoa");
    let agent = agent_client(&app, &tokens).with_header("x-request-id", "agente");
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_span_events(FmtSpan::CLOSE)
        .with_env_filter(log_filter("info,pauta=debug"))
        .with_writer(log.clone())
        .finish();
    let guard = log_to(subscriber);
    person.get("/api/me").await.expect(200);
    let called = agent.call_tool("list_my_tasks", json!({})).await;
    assert!(!called.is_error, "{called:?}");
    app.anonymous().get("/api/health").await.expect(200);
    drop(guard);
    let text = log.captured_text();
    let lines = |request: &str| -> Vec<Value> {
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let is_of =
            |line: &Value| line["request_id"] == request || line["span"]["request_id"] == request;
        lines.filter(is_of).collect()
    };
    for (request, agent) in [("pessoa", &Value::Null), ("agente", &agent_id)] {
        let found = lines(request);
        assert_eq!(
            found.len(),
            2,
            "one of the call and one of the request: {text}"
        );
        for line in found {
            // The line of the request names the member and the agent itself; the line of the call
            // names them in its span.
            let named = if line["member"].is_string() {
                &line
            } else {
                &line["span"]
            };
            assert_eq!(named["member"], member.id.as_str(), "{line}");
            assert_eq!(&named["agent"], agent, "{line}");
        }
    }
    let health = text.lines().filter(|line| line.contains("/api/health"));
    assert!(
        health.clone().count() > 0 && health.clone().all(|line| !line.contains("member")),
        "{text}"
    );
}
