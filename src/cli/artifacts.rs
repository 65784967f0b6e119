//! `pauta artifacts`

use std::path::Path;

use anyhow::{Context, Result, ensure};
use tools::{OPERATIONS, RAW_ROUTES, registry::Registry};

use crate::artifacts;

/// The address in the committed documents; the server renders its own (RFC 6761 keeps `.test`).
const PUBLIC_URL: &str = "https://pauta.test";
const DIRECTORY: &str = "ai-artifacts/dist";

pub(super) fn run(check: bool) -> Result<()> {
    let artifacts = artifacts::render(&Registry::new(OPERATIONS, RAW_ROUTES), PUBLIC_URL);
    let directory = Path::new(DIRECTORY);
    let mut stale = vec![];
    for (name, artifact) in &artifacts {
        let path = directory.join(name);
        if std::fs::read(&path).is_ok_and(|stored| stored == artifact.bytes) {
            continue;
        }
        stale.push(*name);
        if !check {
            std::fs::create_dir_all(path.parent().unwrap_or(directory))?;
            std::fs::write(&path, &artifact.bytes)
                .with_context(|| format!("{} não pôde ser escrito", path.display()))?;
        }
    }
    if check {
        ensure!(
            stale.is_empty(),
            "desatualizado em {DIRECTORY}: {}; rode `pauta artifacts`",
            stale.join(", ")
        );
    }
    println!(
        "{DIRECTORY}: {} documentos, {} mudaram",
        artifacts.len(),
        stale.len()
    );
    Ok(())
}
