//! A receiver that fails costs the service nothing but the spans.

use std::collections::BTreeMap;

use domain::Role;

use super::*;
use crate::support::TestApp;

/// The values of the metrics of the export.
fn values(measures: &dyn Fn() -> Vec<gateway::Measure>) -> BTreeMap<String, u64> {
    let measures = measures();
    let values = measures.iter().flat_map(|measure| {
        measure.values.iter().map(|(labels, value)| {
            let name = labels.first().map_or(measure.name, |(_, text)| text);
            (name.to_owned(), *value as u64)
        })
    });
    values.collect()
}

/// Makes this many calls while this many spans may wait, and returns what became of their spans.
async fn call_with(mood: Mood, queue: u64, calls: u64) -> BTreeMap<String, u64> {
    let app = TestApp::new().await;
    let client = app.token_client(&app.add_member(Role::Lider).await).await;
    let collector = Collector::start().await;
    collector.set_mood(mood);
    let room = queue.to_string();
    let settings = [
        ("OTEL_BSP_MAX_QUEUE_SIZE", &*room),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "300"),
    ];
    let (layer, exporter) = start_export(&collector, &settings);
    let measures = exporter.measures();
    let log = log_to(tracing_subscriber::registry().with(layer.with_own_filter()));
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(exporter.run(stopped));
    for _ in 0..calls {
        client.get("/api/health").await.expect(200);
        assert!(values(&measures)["pauta_trace_queue"] <= queue);
    }
    if !matches!(mood, Mood::Accepts | Mood::RefusesSpans) {
        // The receiver has been asked, and it has failed.
        while collector.count_requests() == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
    drop(log);
    stop.send_replace(true);
    task.await.expect("no panic");
    values(&measures)
}

#[tokio::test]
async fn the_spans_of_a_receiver_that_fails_are_counted_and_the_calls_succeed() {
    // A span for each call: /api/health reads nothing.
    let calls = 60;
    for mood in [Mood::Refuses(503), Mood::Refuses(400), Mood::Hangs] {
        let counts = call_with(mood, 8, calls).await;
        assert_eq!(counts["exported"], 0, "{mood:?}");
        assert!(counts["failed"] > 0, "{mood:?} {counts:?}");
        assert_eq!(
            counts["failed"] + counts["dropped"],
            calls,
            "{mood:?} {counts:?}"
        );
        assert_eq!(counts["pauta_trace_queue"], 0, "{mood:?}");
    }
    let counts = call_with(Mood::RefusesSpans, 8, 5).await;
    assert_eq!((counts["exported"], counts["failed"]), (0, 5), "{counts:?}");
    let counts = call_with(Mood::Accepts, 1000, calls).await;
    assert_eq!(
        (counts["exported"], counts["dropped"]),
        (calls, 0),
        "{counts:?}"
    );
}

#[tokio::test]
async fn a_batch_that_a_busy_receiver_refuses_is_sent_again() {
    let app = TestApp::new().await;
    let client = app.token_client(&app.add_member(Role::Lider).await).await;
    let collector = Collector::start().await;
    collector.set_mood(Mood::Refuses(429));
    let export = Export::start(&collector, &[]);
    client.get("/api/health").await.expect(200);
    while collector.count_requests() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    collector.set_mood(Mood::Accepts);
    collector.wait_for(|span| span.name == "get_health").await;
    export.flush().await;
    let health = collector
        .spans()
        .into_iter()
        .filter(|span| span.name == "get_health");
    assert_eq!(health.count(), 1);
}

#[tokio::test]
async fn calls_succeed_while_nobody_listens_at_the_address() {
    let app = TestApp::new().await;
    let client = app.token_client(&app.add_member(Role::Lider).await).await;
    let mut nobody = Collector::start().await;
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    nobody.address = format!("http://{}", free.local_addr().expect("an address"));
    drop(free);
    let (layer, exporter) = start_export(&nobody, &[]);
    let measures = exporter.measures();
    let log = log_to(tracing_subscriber::registry().with(layer.with_own_filter()));
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(exporter.run(stopped));
    for _ in 0..5 {
        client.get("/api/me").await.expect(200);
    }
    drop(log);
    stop.send_replace(true);
    task.await.expect("no panic");
    let counts = values(&measures);
    assert!(counts["failed"] >= 5, "{counts:?}");
    assert_eq!(counts["exported"], 0);
}
