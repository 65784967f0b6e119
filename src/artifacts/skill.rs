//! `SKILL.md` and the zip package of the skill.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use gateway::StaticDocument;

use super::{source::Source, templates::Templates};

/// The name of the skill, and of the folder in its package.
pub(super) const NAME: &str = "pauta";
/// The file name of the package.
pub(super) const PACKAGE: &str = "skill.zip";
/// The file name of the index from which agents discover the skill.
pub(super) const INDEX: &str = "agent-skills.json";
const SKILL: &str = "SKILL.md";

/// The paths of the files in the skill's folder.
const FILES: [&str; 4] = [
    SKILL,
    "references/erros.md",
    "references/fluxos.md",
    "references/operacoes.md",
];

/// Renders `SKILL.md`.
pub(super) fn render_skill(templates: &Templates) -> Vec<u8> {
    render_file(SKILL, templates)
}

/// Renders the reference files of the skill, keyed by path.
pub(super) fn render_reference_files(templates: &Templates) -> Vec<(&'static str, Vec<u8>)> {
    let mut files = render_files(templates);
    files.retain(|(path, _)| *path != SKILL);
    files
}

/// The index of skills at the well-known URL; it lists this skill.
pub(super) fn render_index(skill: &StaticDocument, source: &Source<'_>) -> Value {
    let spec = source
        .document_routes()
        .find(|spec| spec.file_name() == SKILL);
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

/// Renders every file of the skill, keyed by path.
fn render_files(templates: &Templates) -> Vec<(&'static str, Vec<u8>)> {
    FILES
        .map(|path| (path, render_file(path, templates)))
        .into()
}

fn render_file(path: &str, templates: &Templates) -> Vec<u8> {
    templates.render_template(&format!("skill/{path}"))
}

/// The folder as a zip archive. Files have a fixed order, date and mode and are uncompressed, so
/// that the archive is the same on every machine.
pub(super) fn render_package(templates: &Templates) -> Vec<u8> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    for (path, bytes) in render_files(templates) {
        archive
            .start_file(format!("{NAME}/{path}"), options)
            .and_then(|()| Ok(archive.write_all(&bytes)?))
            .expect("memory is writable");
    }
    archive.finish().expect("memory is writable").into_inner()
}
