//! Logs to standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// The log filter for directives as in `RUST_LOG`.
///
/// The protocol library logs what callers send, even the text of tool arguments. Below errors it is
/// therefore only logged when the directives name it.
#[must_use]
pub fn log_filter(directives: &str) -> EnvFilter {
    let quiet = if directives.contains("rmcp") {
        ""
    } else {
        ",rmcp=error"
    };
    EnvFilter::new(format!("{directives}{quiet}"))
}

pub(super) fn init_logs(format: LogFormat, default: &str) {
    let asked = std::env::var("RUST_LOG").ok();
    let filter = log_filter(asked.as_deref().unwrap_or(default));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    // A second initialisation in one process (tests) keeps the first.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
