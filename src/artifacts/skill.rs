//! `SKILL.md` and its package.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use super::{artifact::Artifact, prose::fill, source::Source};

/// The skill's name, and its folder in the package.
pub(super) const NAME: &str = "pauta";
/// The package's file name.
pub(super) const PACKAGE: &str = "skill.zip";
/// The file name of the index that leads to the skill.
pub(super) const INDEX: &str = "agent-skills.json";
/// Where agents look for skills: Agent Skills Discovery, version 0.2.
const FOLDER: &str = "/.well-known/agent-skills";

const SKILL: &str = "SKILL.md";

/// Path in the folder, and template.
const FILES: [(&str, &str); 4] = [
    (
        SKILL,
        include_str!("../../ai-artifacts/templates/skill/SKILL.md"),
    ),
    (
        "references/erros.md",
        include_str!("../../ai-artifacts/templates/skill/references/erros.md"),
    ),
    (
        "references/fluxos.md",
        include_str!("../../ai-artifacts/templates/skill/references/fluxos.md"),
    ),
    (
        "references/operacoes.md",
        include_str!("../../ai-artifacts/templates/skill/references/operacoes.md"),
    ),
];

/// The skill itself.
pub(super) fn skill(source: &Source<'_>) -> Vec<u8> {
    fill(FILES[0].1, source).into_bytes()
}

/// What the skill refers to, by its path in the folder.
pub(super) fn references(source: &Source<'_>) -> Vec<(&'static str, Vec<u8>)> {
    let mut files = files(source);
    files.retain(|(path, _)| *path != SKILL);
    files
}

/// Where agents look for the index and for each file of the skill: path, and document.
pub(super) fn places() -> impl Iterator<Item = (String, &'static str)> {
    let index = (format!("{FOLDER}/index.json"), INDEX);
    let files = FILES.map(|(path, _)| (format!("{FOLDER}/{NAME}/{path}"), path));
    std::iter::once(index).chain(files)
}

/// The index.
pub(super) fn index(skill: &Artifact, public_url: &str) -> Value {
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
            "url": format!("{public_url}{FOLDER}/{NAME}/{SKILL}"),
            "digest": format!("sha256:{}", skill.sha256),
        }],
    })
}

/// Every file of the skill, by its path in the folder.
fn files(source: &Source<'_>) -> Vec<(&'static str, Vec<u8>)> {
    let filled = |(path, template)| (path, fill(template, source).into_bytes());
    FILES.into_iter().map(filled).collect()
}

/// The whole folder as a zip: sorted, stored, with one date and mode, so that the same files give
/// the same bytes on every machine.
pub(super) fn package(source: &Source<'_>) -> Vec<u8> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    for (path, bytes) in files(source) {
        archive
            .start_file(format!("{NAME}/{path}"), options)
            .and_then(|()| Ok(archive.write_all(&bytes)?))
            .expect("a vector takes all");
    }
    archive.finish().expect("a vector takes all").into_inner()
}
