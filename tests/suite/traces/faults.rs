//! A receiver that fails causes the loss of spans, but no failed calls.

use std::collections::BTreeMap;

use domain::Role;

use super::*;
use crate::support::TestApp;

/// Returns the values of the export metrics by name.
fn metric_values(measures: &dyn Fn() -> Vec<gateway::Measure>) -> BTreeMap<String, u64> {
    let measures = measures();
    let values = measures.iter().flat_map(|measure| {
        measure.values.iter().map(|(labels, value)| {
            let name = labels.first().map_or(measure.name, |(_, text)| text);
            (name.to_owned(), *value as u64)
        })
    });
    values.collect()
}

/// Makes `calls` calls with a queue of at most `queue` spans; returns the metrics of the export, which
/// count the spans by outcome.
async fn count_spans_by_outcome(mood: Mood, queue: u64, calls: u64) -> BTreeMap<String, u64> {
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
        assert!(metric_values(&measures)["pauta_trace_queue"] <= queue);
    }
    if !matches!(mood, Mood::Accepts | Mood::RefusesSpans) {
        // Waits for the first request, so that the receiver has failed at least once.
        while collector.count_requests() == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
    drop(log);
    stop.send_replace(true);
    task.await.expect("no panic");
    metric_values(&measures)
}

#[tokio::test]
async fn the_spans_of_a_receiver_that_fails_are_counted_and_the_calls_succeed() {
    // `/api/health` sends no SQL, so each call has exactly one span.
    let calls = 60;
    for mood in [Mood::Refuses(503), Mood::Refuses(400), Mood::Hangs] {
        let counts = count_spans_by_outcome(mood, 8, calls).await;
        assert_eq!(counts["exported"], 0, "{mood:?}");
        assert!(counts["failed"] > 0, "{mood:?} {counts:?}");
        assert_eq!(
            counts["failed"] + counts["dropped"],
            calls,
            "{mood:?} {counts:?}"
        );
        assert_eq!(counts["pauta_trace_queue"], 0, "{mood:?}");
    }
    let counts = count_spans_by_outcome(Mood::RefusesSpans, 8, 5).await;
    assert_eq!((counts["exported"], counts["failed"]), (0, 5), "{counts:?}");
    let counts = count_spans_by_outcome(Mood::Accepts, 1000, calls).await;
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
async fn calls_succeed_while_the_receiver_is_unreachable() {
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
    let counts = metric_values(&measures);
    assert!(counts["failed"] >= 5, "{counts:?}");
    assert_eq!(counts["exported"], 0);
}
