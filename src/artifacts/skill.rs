//! `SKILL.md` and the zip package of the skill.

use gateway::StaticDocument;
use serde_json::{Value, json};

use super::{package::zip_folder, source::Source, templates::Templates};

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

/// Reads the description in the front matter of `SKILL.md`.
pub(super) fn read_description(skill: &[u8]) -> String {
    let text = String::from_utf8_lossy(skill);
    let description = text
        .lines()
        .find_map(|line| line.strip_prefix("description: "));
    description.unwrap_or_default().trim_matches('"').to_owned()
}

/// Renders the index of skills at the well-known URL; it lists this skill.
pub(super) fn render_index(skill: &StaticDocument, source: &Source<'_>) -> Value {
    let spec = source
        .document_routes()
        .find(|spec| spec.last_path_segment() == SKILL);
    let place = spec.and_then(|spec| spec.also_at.first());
    json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{
            "name": NAME,
            "type": "skill-md",
            "description": read_description(&skill.bytes),
            "url": place.map(|path| format!("{}{path}", source.url)),
            "digest": format!("sha256:{}", skill.sha256),
        }],
    })
}

/// Renders every file of the skill, keyed by path.
pub(super) fn render_files(templates: &Templates) -> Vec<(&'static str, Vec<u8>)> {
    FILES
        .map(|path| (path, render_file(path, templates)))
        .into()
}

fn render_file(path: &str, templates: &Templates) -> Vec<u8> {
    templates.render_template(&format!("skill/{path}"))
}

/// Renders the folder of the skill as a zip archive.
pub(super) fn render_package(templates: &Templates) -> Vec<u8> {
    zip_folder(NAME, render_files(templates))
}
