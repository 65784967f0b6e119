//! Serves `/metrics` on a separate listener.
//!
//! A scraper that accepts OpenMetrics gets that format, with exemplars: each names the trace of a
//! recorded call. Any other scraper gets the text format of Prometheus, which has no exemplars.

use std::sync::Arc;

use axum::{
    Router,
    http::{HeaderMap, header},
    routing::get,
};
use gateway::Measure;
use store::{Db, PoolUse};
use tokio::runtime::Handle;

use crate::{app::App, process, server::Traffic};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Builds the router of the metrics listener, with the route `/metrics`.
pub(super) fn metrics_router(app: &App, traffic: Arc<Traffic>) -> Router {
    let gateway = app.gateway.clone();
    gateway.metrics.add_source(move || traffic.measures());
    gateway.metrics.add_source(process::measures);
    gateway.metrics.add_source(|| vec![process::build_info()]);
    let (db, live) = (gateway.services.db.clone(), app.clone());
    gateway.metrics.add_source(move || pool_metrics(&db));
    gateway.metrics.add_source(move || stream_metrics(&live));
    let runtime = Handle::current();
    gateway
        .metrics
        .add_source(move || vec![task_metric(&runtime)]);
    let text = move |headers: HeaderMap| async move {
        let text = gateway.render_metrics().await;
        let (media_type, text) = match accepts_open_metrics(&headers) {
            true => (OPEN_METRICS, text),
            false => (PLAIN_TEXT, to_plain_text(&text)),
        };
        ([(header::CONTENT_TYPE, media_type)], text)
    };
    Router::new().route("/metrics", get(text))
}

/// Metrics of the database connection pool.
fn pool_metrics(db: &Db) -> Vec<Measure> {
    let PoolUse {
        open,
        in_use,
        waiting,
    } = db.pool_use();
    let gauge = |name, help, count: usize| Measure::gauge(name, help, count as f64);
    vec![
        gauge("pauta_db_connections", "Connections to the database", open),
        gauge("pauta_db_connections_in_use", "Those in use", in_use),
        gauge("pauta_db_waiting", "Callers that wait for one", waiting),
    ]
}

/// Returns the number of open event streams of console pages.
fn stream_metrics(app: &App) -> Vec<Measure> {
    let live = app.gateway.services.parts.find::<console::Live>();
    let open = live.map_or(0, console::Live::count_streams);
    let help = "Streams of open console pages";
    vec![Measure::gauge("pauta_live_streams", help, open as f64)]
}

/// Returns the number of tasks of the async runtime. Each connection is one task; without connections,
/// the number must stay constant.
fn task_metric(runtime: &Handle) -> Measure {
    let tasks = runtime.metrics().num_alive_tasks();
    Measure::gauge("pauta_tasks", "Tasks of the runtime", tasks as f64)
}

fn accepts_open_metrics(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains("application/openmetrics-text"))
}

/// Converts OpenMetrics to the text format of Prometheus: counters are described under the name of
/// their samples, and there are neither exemplars nor an end mark.
fn to_plain_text(text: &str) -> String {
    let counters: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter"))
        .collect();
    let mut plain = String::with_capacity(text.len());
    for line in text.lines().filter(|line| *line != "# EOF") {
        let comment = ["# HELP ", "# TYPE "]
            .iter()
            .find_map(|word| Some((word, line.strip_prefix(word)?)));
        match comment {
            Some((word, rest)) => {
                let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                let suffix = match counters.contains(&name) {
                    true => "_total",
                    false => "",
                };
                plain.extend([*word, name, suffix, " ", rest]);
            }
            None => plain.push_str(line.split(" # {trace_id=").next().unwrap_or(line)),
        }
        plain.push('\n');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_format_has_the_same_samples_and_no_exemplar() {
        let open = "# HELP pauta_calls Calls.\n# TYPE pauta_calls counter\n\
                    pauta_calls_total{door=\"mcp\"} 2 # {trace_id=\"4bf9\"} 1\n\
                    # HELP pauta_jobs Jobs.\n# TYPE pauta_jobs gauge\npauta_jobs{job=\"a\"} 3\n# EOF\n";
        let plain = "# HELP pauta_calls_total Calls.\n# TYPE pauta_calls_total counter\n\
                     pauta_calls_total{door=\"mcp\"} 2\n\
                     # HELP pauta_jobs Jobs.\n# TYPE pauta_jobs gauge\npauta_jobs{job=\"a\"} 3\n";
        assert_eq!(to_plain_text(open), plain);
    }

    #[test]
    fn only_a_scraper_that_accepts_open_metrics_gets_it() {
        let prometheus =
            "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.3";
        for (accepted, is_open) in [
            (Some(prometheus), true),
            (Some("*/*"), false),
            (None, false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accepted) = accepted {
                headers.insert(header::ACCEPT, accepted.parse().expect("a header"));
            }
            assert_eq!(accepts_open_metrics(&headers), is_open, "{accepted:?}");
        }
    }
}
