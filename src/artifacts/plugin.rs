//! The plugin for Claude: the skill and the MCP server in one package, and the marketplace file
//! from which Claude Code installs it.
//!
//! If a user adds a marketplace by its URL, Claude Code downloads only the marketplace file, so a
//! relative path in that file would not resolve. The entry is therefore an `archive` with the URL
//! and the SHA-256 of the package. The URL must be https and on another machine than Claude Code.
//! For installations without such a URL, the package also contains a marketplace file, so that a
//! user can add the unpacked folder:
//! <https://code.claude.com/docs/en/plugins/marketplace-reference#archive-plugin-source>.

use gateway::StaticDocument;
use serde_json::{Value, json};

use super::{
    package::zip_folder, pretty::to_pretty_json, release::API_VERSION, skill, source::Source,
    templates::Templates,
};

/// The file name of the package.
pub(super) const PACKAGE: &str = "claude-plugin.zip";
/// The file name of the marketplace.
pub(super) const MARKETPLACE: &str = "marketplace.json";
/// The name of the plugin, which is also the folder of the package.
const NAME: &str = "pauta";
const LICENSE: &str = "MIT OR Apache-2.0";
const KEYWORDS: [&str; 5] = ["pauta", "agenda", "redação", "aprovação", "publicação"];
const DESCRIPTION: &str = "A agenda editorial da equipe no Claude: as ferramentas da Pauta e a skill que ensina a usá-las.";

/// Renders the plugin as a zip archive.
pub(super) fn render_package(source: &Source<'_>, templates: &Templates) -> Vec<u8> {
    let mut files: Vec<(&str, Vec<u8>)> = vec![
        (
            ".claude-plugin/marketplace.json",
            to_pretty_json(&marketplace_with(source, &"./".into())),
        ),
        (
            ".claude-plugin/plugin.json",
            to_pretty_json(&build_manifest(source)),
        ),
        (".mcp.json", to_pretty_json(&build_servers(source))),
    ];
    for (path, bytes) in skill::render_files(templates) {
        files.push((path_in_plugin(path), bytes));
    }
    zip_folder(NAME, files)
}

/// Maps the path of a file in the skill to its path in the plugin.
fn path_in_plugin(path: &str) -> &'static str {
    match path {
        "SKILL.md" => "skills/pauta/SKILL.md",
        "references/erros.md" => "skills/pauta/references/erros.md",
        "references/fluxos.md" => "skills/pauta/references/fluxos.md",
        "references/operacoes.md" => "skills/pauta/references/operacoes.md",
        other => unreachable!("the skill has no file {other}"),
    }
}

/// Builds `plugin.json`.
fn build_manifest(source: &Source<'_>) -> Value {
    json!({
        "name": NAME,
        "displayName": "Pauta",
        "version": API_VERSION,
        "description": format!("{DESCRIPTION} Privacidade: {}", source.privacy_url()),
        "author": { "name": "Pauta", "url": source.url },
        "homepage": source.document_url("claude.md"),
        "license": LICENSE,
        "keywords": KEYWORDS,
    })
}

/// Builds `.mcp.json`, which names the MCP server. The file has no credential, so Claude Code signs in
/// through the browser.
fn build_servers(source: &Source<'_>) -> Value {
    json!({ "mcpServers": { NAME: { "type": "http", "url": source.mcp_url() } } })
}

/// Builds the marketplace file with the package as an archive.
pub(super) fn build_marketplace(source: &Source<'_>, package: &StaticDocument) -> Value {
    let archive = json!({
        "source": "archive",
        "url": source.document_url(PACKAGE),
        "sha256": package.sha256,
    });
    marketplace_with(source, &archive)
}

fn marketplace_with(source: &Source<'_>, plugin: &Value) -> Value {
    json!({
        "name": source.marketplace_name(),
        "owner": { "name": "Pauta", "url": source.url },
        "description": "A Pauta da equipe, para o Claude.",
        "version": API_VERSION,
        "plugins": [{
            "name": NAME,
            "displayName": "Pauta",
            "description": DESCRIPTION,
            "source": plugin,
            "homepage": source.document_url("claude.md"),
            "license": LICENSE,
            "keywords": KEYWORDS,
            "category": "productivity",
            "metadata": { "privacyPolicyUrl": source.privacy_url() },
        }],
    })
}
