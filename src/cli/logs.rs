//! Logs to standard error.

use std::{env, io::IsTerminal};

use tracing_subscriber::{
    EnvFilter, Layer, filter::ParseError, fmt, layer::SubscriberExt, registry,
    util::SubscriberInitExt,
};

use crate::{
    config::{LogFormat, nearest_word},
    traces::SpanLayer,
};

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Builds the log filter from directives in the syntax of `RUST_LOG`.
///
/// The protocol library logs what callers send, including tool arguments. So its messages below the
/// level `error` are logged only if the directives name the library.
#[must_use]
pub fn log_filter(directives: &str) -> EnvFilter {
    EnvFilter::new(limit_library_logs(directives))
}

fn limit_library_logs(directives: &str) -> String {
    let quiet = if directives.contains("rmcp") {
        ""
    } else {
        ",rmcp=error"
    };
    format!("{directives}{quiet}")
}

/// Initializes logging with `RUST_LOG`, or else with `default`, and the recording of spans, if they
/// are exported.
pub(super) fn init_logs(format: LogFormat, default: &str, spans: Option<SpanLayer>) {
    let asked = env::var_os("RUST_LOG").filter(|asked| !asked.is_empty());
    let given = asked.as_ref().map(|asked| {
        let directives = asked.to_str().filter(|text| !has_mistyped_level(text));
        directives.and_then(|directives| parse_filter(directives).ok())
    });
    let is_ignored = matches!(given, Some(None));
    let filter = given.flatten().unwrap_or_else(|| log_filter(default));
    let with_colour = std::io::stderr().is_terminal();
    match spans {
        None => {
            let builder = fmt()
                .with_env_filter(filter)
                .with_ansi(with_colour)
                .with_writer(std::io::stderr);
            match format {
                LogFormat::Text => install(builder),
                LogFormat::Json => install(builder.json().flatten_event(true)),
            }
        }
        // The filter of the log must not hide spans from the export, so each layer has a separate
        // filter. The two filters slow each span down a little.
        Some(spans) => {
            let lines = fmt::layer()
                .with_ansi(with_colour)
                .with_writer(std::io::stderr);
            let lines = match format {
                LogFormat::Text => lines.boxed(),
                LogFormat::Json => lines.json().flatten_event(true).boxed(),
            };
            install(
                registry()
                    .with(lines.with_filter(filter))
                    .with(spans.with_own_filter()),
            );
        }
    }
    if is_ignored {
        tracing::warn!(
            "RUST_LOG não é um filtro de logs e foi ignorado; vale `{default}`. Use, por exemplo, \
             `info` ou `info,pauta=debug`"
        );
    }
}

fn install(subscriber: impl SubscriberInitExt) {
    // In tests, a second initialization in the same process fails, and the first one stays.
    let _ = subscriber.try_init();
}

fn parse_filter(directives: &str) -> Result<EnvFilter, ParseError> {
    EnvFilter::try_new(limit_library_logs(directives))
}

/// Whether a directive contains a misspelt level. The filter would take such a level for a module
/// name and drop the messages of all other modules.
fn has_mistyped_level(directives: &str) -> bool {
    let mut words = directives.split(',').map(str::trim);
    words.any(|word| {
        let word = word.to_ascii_lowercase();
        !word.is_empty()
            && word.parse::<u8>().is_err()
            && !LEVELS.contains(&&*word)
            && (word == "warning" || nearest_word(&word, LEVELS).is_some())
    })
}
