//! The configuration of a service inside the benchmark's process.

use std::path::Path;

use anyhow::Result;
use pauta::config::{Config, Sources};

/// Reads a configuration with the database `PAUTA_BENCH_DATABASE_URL`, by default SQLite in this
/// folder.
pub fn config(folder: &Path) -> Result<Config> {
    let embedded = format!("sqlite://{}", folder.join("pauta.db").display());
    let url = std::env::var("PAUTA_BENCH_DATABASE_URL").unwrap_or(embedded);
    Config::read(&Sources::from_pairs([
        ("PAUTA_DATABASE_URL", url),
        ("PAUTA_SECRET", "only for measuring, and long enough".into()),
        ("PAUTA_STORAGE", folder.display().to_string()),
        // The callers share one credential.
        ("PAUTA_QUOTA_CREDENTIAL", "0".into()),
        ("PAUTA_QUOTA_MEMBER", "0".into()),
    ]))
}
