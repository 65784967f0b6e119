//! Traces that are exported by OpenTelemetry, with a double of the receiver.

mod collector;
mod content;
mod faults;
mod spans;
#[cfg(unix)]
mod stop;

use pauta::{
    config::{Config, Sources},
    traces::{self, Exporter, SpanLayer},
};
use std::sync::Arc;

use tokio::{sync::watch, task::JoinHandle};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::{Layer, filter::LevelFilter, layer::SubscriberExt};

use crate::support::log_to;
use collector::{Collector, Mood, Span};

/// Returns the tracing layer and the export task of a process with these environment variables.
fn start_export(collector: &Collector, settings: &[(&'static str, &str)]) -> (SpanLayer, Exporter) {
    pauta::providers::install_tls_provider();
    let at = ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address.clone());
    let delay = ("OTEL_BSP_SCHEDULE_DELAY", "20".to_owned());
    let settings = settings
        .iter()
        .map(|(name, text)| (*name, (*text).to_owned()));
    let sources = Sources::from_pairs([at, delay].into_iter().chain(settings));
    let config = Config::read(&sources).expect("valid settings");
    let settings = config.traces.expect("an address is set");
    traces::start(&settings, Arc::new(pauta::app::SystemClock)).expect("a client")
}

/// Traces of this thread, exported to a collector until the guard is dropped.
struct Export {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
    _log: DefaultGuard,
}

impl Export {
    fn start(collector: &Collector, settings: &[(&'static str, &str)]) -> Self {
        let (layer, exporter) = start_export(collector, settings);
        // A log that shows nothing must not hide spans from the export.
        let silent = tracing_subscriber::fmt::layer().with_filter(LevelFilter::OFF);
        let subscriber = tracing_subscriber::registry()
            .with(silent)
            .with(layer.with_own_filter());
        let _log = log_to(subscriber);
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(exporter.run(stopped));
        Self { stop, task, _log }
    }

    /// Sends the waiting spans and stops the export.
    async fn flush(self) {
        self.stop.send_replace(true);
        self.task.await.expect("no panic");
    }
}
