//! The recorded spans, and their parents.

use domain::Role;
use serde_json::json;

use super::*;
use crate::{
    support::TestApp,
    videos::{
        Dialect,
        double::{Phase, VideoApi},
    },
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{PARENT}-{flags}")
}

/// Returns the only span for which the predicate is true.
fn only_span(spans: &[Span], is_wanted: impl Fn(&&Span) -> bool) -> &Span {
    let mut found = spans.iter().filter(is_wanted);
    let span = found
        .next()
        .unwrap_or_else(|| panic!("no such span: {spans:#?}"));
    assert!(found.next().is_none(), "two such spans: {spans:#?}");
    span
}

fn children_named<'s>(spans: &'s [Span], parent: &Span, name: &str) -> Vec<&'s Span> {
    let is_child_named = |span: &&Span| span.parent == parent.id && span.name == name;
    let found: Vec<&Span> = spans.iter().filter(is_child_named).collect();
    for span in &found {
        assert_eq!(span.trace, parent.trace);
        assert!(
            span.begin >= parent.begin && span.end <= parent.end,
            "{span:?}\n{parent:?}"
        );
    }
    found
}

#[tokio::test]
async fn each_call_statement_job_and_provider_request_has_a_span() {
    let api = VideoApi::new(Dialect::OpenAi).await;
    let app = TestApp::with_settings(api.settings()).await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.token_client(&member).await;
    let collector = Collector::start().await;
    let export = Export::start(&collector, &[]);
    let event = lead.create_demand(json!({})).await;
    let read = lead.get(&format!("/api/eventos/{event}")).await;
    read.expect(200);
    lead.get("/api/eventos/nada")
        .await
        .expect_refusal(404, "NOT_FOUND");
    let video =
        json!({ "event_id": event, "prompt": "Uma fogueira", "aspect": "9:16", "duration_s": 8 });
    lead.post("/api/reels", video).await.expect(202);
    app.app.worker().drain().await.expect("the jobs end");
    api.set_phase(&Phase::Failed("moderation_blocked"));
    export.flush().await;
    let spans = collector.spans();
    let system = match app.database_url().starts_with("postgres") {
        true => "postgresql",
        false => "sqlite",
    };

    let write = only_span(&spans, |span| span.name == "create_demand");
    assert_eq!((write.kind, &*write.parent), (2, ""));
    assert_eq!(write.attribute("pauta.door"), "rest");
    assert_eq!(write.attribute("pauta.member"), member.id.as_str());
    assert_eq!(write.attribute("http.response.status_code"), "200");
    assert_eq!(write.attribute("pauta.outcome"), "OK");
    assert!(!write.attribute("pauta.request_id").is_empty());
    let [transaction] = children_named(&spans, write, "database transaction")[..] else {
        panic!("a local write has one transaction: {spans:#?}");
    };
    assert_eq!(transaction.attribute("db.system.name"), system);
    assert_eq!(transaction.attribute("pauta.outcome"), "committed");
    let statements: u32 = transaction
        .attribute("pauta.statements")
        .parse()
        .expect("a number");
    assert!(statements > 2, "{transaction:?}");

    let calls: Vec<&Span> = spans
        .iter()
        .filter(|span| span.name == "get_event")
        .collect();
    let [read, refused] = calls[..] else {
        panic!("one span for each call: {spans:#?}");
    };
    assert!(!children_named(&spans, read, "database read").is_empty());
    assert_ne!(read.trace, write.trace);
    assert_eq!(refused.attribute("pauta.outcome"), "NOT_FOUND");
    assert_eq!(refused.attribute("http.response.status_code"), "404");
    // The caller caused this refusal, so its span is not an error.
    assert!(!refused.is_error);

    let job = only_span(&spans, |span| span.name == "job submit_video");
    assert_eq!(
        (job.attribute("pauta.job"), job.attribute("pauta.outcome")),
        ("submit_video", "done")
    );
    assert_eq!(job.attribute("pauta.job.attempt"), "1");
    let [request] = children_named(&spans, job, "provider 127.0.0.1")[..] else {
        panic!("a job asked the provider once: {spans:#?}");
    };
    assert_eq!(
        (request.kind, request.attribute("http.response.status_code")),
        (3, "200")
    );
    // The request to the provider carries the ids of the trace and of the span that sent it.
    let (path, trace) = &api.received_traces()[0];
    let expected = format!("00-{}-{}-01", request.trace, request.id);
    assert_eq!((&**path, trace.as_ref()), ("/v1/videos", Some(&expected)));

    let resource = collector.resource();
    assert_eq!(resource["service.name"], "pauta");
    assert_eq!(resource["service.version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(resource["service.instance.id"].len(), 16);
    // A statement outside of a call or job has no span.
    let roots = spans.iter().filter(|span| span.parent.is_empty());
    assert!(
        roots.clone().all(|span| !span.name.starts_with("database")),
        "{spans:#?}"
    );
}

#[tokio::test]
async fn a_call_continues_the_trace_of_its_caller_and_keeps_the_decision_to_record_it() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.token_client(&member).await;
    let collector = Collector::start().await;
    let export = Export::start(
        &collector,
        &[("OTEL_TRACES_SAMPLER", "parentbased_always_off")],
    );
    lead.with_header("traceparent", traceparent("01"))
        .get("/api/me")
        .await
        .expect(200);
    for unsampled in [traceparent("00"), "nonsense".to_owned()] {
        lead.with_header("traceparent", unsampled)
            .get("/api/eventos")
            .await
            .expect(200);
    }
    lead.get("/api/eventos").await.expect(200);
    let call = json!({ "name": "list_my_tasks", "arguments": {}, "_meta": { "traceparent": traceparent("01") } });
    let answer = lead.send_rpc("tools/call", call).await;
    assert_eq!(answer.body["result"]["isError"], false, "{}", answer.text);
    export.flush().await;
    let spans = collector.spans();
    assert!(spans.iter().all(|span| span.trace == TRACE), "{spans:#?}");
    for (operation, door) in [("get_me", "rest"), ("list_my_tasks", "mcp")] {
        let call = only_span(&spans, |span| span.name == operation);
        assert_eq!((&*call.parent, call.kind), (PARENT, 2));
        assert_eq!(call.attribute("pauta.door"), door);
    }
    assert!(!spans.iter().any(|span| span.name == "list_events"));
}

#[tokio::test]
async fn without_propagation_trace_headers_are_neither_accepted_nor_sent() {
    let api = VideoApi::new(Dialect::OpenAi).await;
    let app = TestApp::with_settings(api.settings()).await;
    let lead = app.token_client(&app.add_member(Role::Lider).await).await;
    let collector = Collector::start().await;
    let export = Export::start(&collector, &[("OTEL_PROPAGATORS", "none")]);
    let video = json!({ "prompt": "Uma fogueira", "aspect": "9:16", "duration_s": 8 });
    let traced = lead.with_header("traceparent", traceparent("00"));
    traced.post("/api/reels", video).await.expect(202);
    app.app.worker().drain().await.expect("the jobs end");
    export.flush().await;
    let spans = collector.spans();
    let call = only_span(&spans, |span| span.name == "start_video_generation");
    assert_eq!(call.parent, "");
    assert_ne!(call.trace, TRACE);
    let traces = api.received_traces();
    assert!(
        !traces.is_empty() && traces.iter().all(|(_, trace)| trace.is_none()),
        "{traces:?}"
    );
}

#[tokio::test]
async fn a_page_of_the_console_and_its_calls_are_one_trace() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let browser = app.browser_client(&member).await;
    let collector = Collector::start().await;
    let export = Export::start(&collector, &[]);
    browser.get("/").await.expect(200);
    export.flush().await;
    let spans = collector.spans();
    let page = only_span(&spans, |span| {
        span.parent.is_empty() && span.attribute("pauta.door") == "console"
    });
    let mut calls = spans
        .iter()
        .filter(|span| span.parent == page.id && span.kind == 1);
    assert!(calls.any(|call| call.name == "get_my_day"), "{spans:#?}");
    assert!(
        spans.iter().all(|span| span.trace == page.trace),
        "{spans:#?}"
    );
}
