//! `pauta artifacts`

use std::{io, path::Path};

use anyhow::{Context, Result, ensure};

use super::terminal::out;
use crate::artifacts;

/// The public URL in the committed documents (RFC 6761 reserves `.test`). A running service renders
/// the documents with its own URL.
const PUBLIC_URL: &str = "https://pauta.test";
const DIRECTORY: &str = "ai-artifacts/dist";

pub(super) fn run(check: bool) -> Result<()> {
    let documents = artifacts::render_documents(&tools::registry(), PUBLIC_URL, None);
    let directory = Path::new(DIRECTORY);
    let mut stale = vec![];
    for (name, artifact) in &documents {
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
    ensure!(
        !check || stale.is_empty(),
        "desatualizado em {DIRECTORY}: {}; rode `pauta artifacts`",
        stale.join(", ")
    );
    let mut extra =
        list_files(directory, "").with_context(|| format!("{DIRECTORY} não pôde ser lido"))?;
    extra.retain(|name| name != artifacts::RECORDED && !documents.contains_key(name.as_str()));
    extra.sort();
    ensure!(
        !check || extra.is_empty(),
        "sobra em {DIRECTORY}: {}; rode `pauta artifacts`",
        extra.join(", ")
    );
    for name in &extra {
        let path = directory.join(name);
        std::fs::remove_file(&path)
            .with_context(|| format!("{} não pôde ser removido", path.display()))?;
    }
    out!(
        "{DIRECTORY}: {} documentos, {} mudaram, {} sobravam",
        documents.len(),
        stale.len(),
        extra.len()
    );
    Ok(())
}

/// Lists every file below a folder, by its relative path.
fn list_files(folder: &Path, prefix: &str) -> io::Result<Vec<String>> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            found.extend(list_files(&entry.path(), &format!("{name}/"))?);
        } else {
            found.push(name);
        }
    }
    Ok(found)
}
