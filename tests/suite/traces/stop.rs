//! The export in a real server process: its environment variables, and its shutdown.

use domain::Role;
use pauta::app::SystemClock;
use ports::Clock;

use super::*;
use crate::support::{Server, TestApp, exchange_request, http_request};

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_sends_the_last_spans_at_every_log_level() {
    for log in ["error,pauta::cli=info", "info", "trace"] {
        assert_export_at_stop(log).await;
    }
}

async fn assert_export_at_stop(log: &str) {
    let app = TestApp::new().await;
    app.advance_clock(SystemClock.now() - app.now());
    let member = app.add_member(Role::Admin).await;
    let token = app.token_client(&member).await.credential().to_owned();
    let collector = Collector::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address.clone()),
        ("OTEL_SERVICE_NAME", "redacao".to_owned()),
        // A long delay, so that the process sends no spans before its shutdown.
        ("OTEL_BSP_SCHEDULE_DELAY", "60000".to_owned()),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2048".to_owned()),
        ("RUST_LOG", log.to_owned()),
    ];
    let mut server = Server::start(app.database_url(), directory.path(), &settings);
    let asked = http_request("GET", "/api/me", &token, "", "");
    let answer = exchange_request(&server.address, &asked).expect("an answer");
    assert_eq!(answer.status, 200);
    // A call without a credential sends no SQL, so it has exactly one span.
    let public = http_request("GET", "/api/health", "", "", "");
    for _ in 0..3 {
        exchange_request(&server.address, &public).expect("an answer");
    }
    assert_eq!(collector.count_requests(), 0);
    server.send_sigterm();
    assert!(server.wait_for_exit().success());
    let spans = collector.spans();
    let call = spans.iter().find(|span| span.name == "get_me");
    let call = call.unwrap_or_else(|| panic!("{spans:#?}"));
    assert_eq!(call.attribute("pauta.member"), member.id.as_str());
    let public = spans.iter().filter(|span| span.name == "get_health");
    assert_eq!(public.count(), 3, "{log}: {spans:#?}");
    assert_eq!(collector.resource()["service.name"], "redacao");
}
