//! `SKILL.md` and its package.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use gateway::StaticDocument;

use super::{source::Source, templates::Templates};

/// The skill's name, and its folder in the package.
pub(super) const NAME: &str = "pauta";
/// The package's file name.
pub(super) const PACKAGE: &str = "skill.zip";
/// The file name of the index that leads to the skill.
pub(super) const INDEX: &str = "agent-skills.json";
const SKILL: &str = "SKILL.md";

/// Paths in the folder.
const FILES: [&str; 4] = [
    SKILL,
    "references/erros.md",
    "references/fluxos.md",
    "references/operacoes.md",
];

/// The skill itself.
pub(super) fn skill(templates: &Templates) -> Vec<u8> {
    file(SKILL, templates)
}

/// The references of the skill, by their path in the folder.
pub(super) fn references(templates: &Templates) -> Vec<(&'static str, Vec<u8>)> {
    let mut files = files(templates);
    files.retain(|(path, _)| *path != SKILL);
    files
}

/// The index at the address where agents look for skills; it links to this skill.
pub(super) fn index(skill: &StaticDocument, source: &Source<'_>) -> Value {
    let spec = source.documents().find(|spec| spec.file_name() == SKILL);
    let place = spec.and_then(|spec| spec.also_at.first());
    let text = String::from_utf8_lossy(&skill.bytes);
    let description = text
        .lines()
        .find_map(|line| line.strip_prefix("description: "));
    json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{
            "name": NAME,
            "type": "skill-md",
            "description": description.unwrap_or_default().trim_matches('"'),
            "url": place.map(|path| format!("{}{path}", source.url)),
            "digest": format!("sha256:{}", skill.sha256),
        }],
    })
}

/// Every file of the skill, by its path in the folder.
fn files(templates: &Templates) -> Vec<(&'static str, Vec<u8>)> {
    FILES.map(|path| (path, file(path, templates))).into()
}

fn file(path: &str, templates: &Templates) -> Vec<u8> {
    templates.render(&format!("skill/{path}"))
}

/// The whole folder as a zip. Files are sorted and uncompressed, with a fixed date and mode, so that
/// the same files give the same bytes on every machine.
pub(super) fn package(templates: &Templates) -> Vec<u8> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    for (path, bytes) in files(templates) {
        archive
            .start_file(format!("{NAME}/{path}"), options)
            .and_then(|()| Ok(archive.write_all(&bytes)?))
            .expect("a vector takes all");
    }
    archive.finish().expect("a vector takes all").into_inner()
}
