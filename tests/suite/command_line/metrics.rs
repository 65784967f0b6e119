//! `/metrics` serves exactly the metrics that the operator's manual lists. The dashboard and the
//! alerts name only served metrics.

#![cfg(unix)]

use std::{collections::BTreeSet, net::TcpListener};

use domain::Role;
use pauta::app::SystemClock;
use ports::Clock;

use crate::support::{Server, TestApp, exchange_request, http_request};

/// Returns the names in the manual's table of metrics, without the suffix of counters.
fn documented_metrics() -> BTreeSet<String> {
    let manual = include_str!("../../../docs/OPERATING.md");
    let (_, table) = manual
        .split_once("| metric | meaning |")
        .expect("a table of metrics");
    let rows = table.lines().skip(2).take_while(|row| row.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    names
        .map(|name| name.split('{').next().unwrap_or_default().to_owned())
        .map(|name| name.trim_end_matches("_total").to_owned())
        .collect()
}

/// Returns the metrics that a text names, without the suffixes of counters and histograms.
fn named_metrics(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_name(c));
    let names = words.filter(|word| word.starts_with("pauta_") || word.starts_with("process_"));
    names
        .map(|name| {
            let mut suffixes = ["_total", "_bucket", "_sum", "_count"].iter();
            let bare = suffixes.find_map(|suffix| name.strip_suffix(suffix));
            bare.unwrap_or(name).to_owned()
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manual_the_dashboard_and_the_alerts_name_served_metrics() {
    let app = TestApp::new().await;
    app.advance_clock(SystemClock.now() - app.now());
    let member = app.add_member(Role::Admin).await;
    let token = app.token_client(&member).await.credential().to_owned();
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let scraped = free.local_addr().expect("an address").to_string();
    drop(free);
    let directory = tempfile::tempdir().expect("a directory");
    let settings = [
        ("PAUTA_METRICS_LISTEN", scraped.clone()),
        // Nothing listens at this address. The metrics of traces are served nevertheless.
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "http://127.0.0.1:9".to_owned(),
        ),
    ];
    let server = Server::start(app.database_url(), directory.path(), &settings);
    let ask = |token: &str| {
        let asked = http_request("GET", "/api/me", token, "", "");
        exchange_request(&server.address, &asked)
            .expect("an answer")
            .status
    };
    assert_eq!((ask(&token), ask("svc_live_nada")), (200, 401));
    let scrape = |accept: &str| {
        let asked = http_request("GET", "/metrics", "", accept, "")
            .replace("Authorization: Bearer \r\n", "");
        exchange_request(&scraped, &asked).expect("an answer").text
    };
    let open = "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n";
    let text = loop {
        let text = scrape(open);
        // Waits for the first jobs, which run in the background after the start.
        if text.contains("pauta_job_runs_total") {
            break text;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let lines = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let mut served: BTreeSet<String> = lines
        .filter_map(|line| line.split(' ').next().map(str::to_owned))
        .collect();
    // `pauta_work` is served only after a publication.
    served.insert("pauta_work".into());
    assert_eq!(served, documented_metrics());
    for (place, text) in [
        (
            "alerts",
            include_str!("../../../deploy/prometheus/alerts.yml"),
        ),
        (
            "dashboard",
            include_str!("../../../deploy/grafana/pauta.json"),
        ),
    ] {
        let named = named_metrics(text);
        assert!(named.len() > 10, "{place}: {named:?}");
        let unknown: Vec<_> = named.difference(&served).collect();
        assert!(unknown.is_empty(), "the {place} name {unknown:?}");
    }
    assert!(
        text.contains(r#"pauta_answers_total{status="401"} 1"#),
        "{text}"
    );
    assert!(text.ends_with("# EOF\n"));
    // A recorded call is the exemplar of its counter and of its bucket.
    let call = r#"pauta_calls_total{operation="get_me",door="rest",status="200",code="OK"} 1"#;
    let exemplar = format!("{call} # {{trace_id=\"");
    assert!(text.contains(&exemplar), "{text}");
    let bucket = text.lines().find(|line| {
        line.starts_with("pauta_call_seconds_bucket{") && line.contains(" # {trace_id=\"")
    });
    assert!(bucket.is_some(), "{text}");
    let plain = scrape("");
    assert!(plain.lines().any(|line| line == call), "{plain}");
    assert!(
        !plain.contains("trace_id") && !plain.contains("# EOF"),
        "{plain}"
    );
}
