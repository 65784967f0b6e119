//! The skill as a package for ChatGPT and Codex: the open format, with OpenAI's own file.
//!
//! `agents/openai.yaml` contains the name and the texts that both products show in their lists, and
//! the MCP server on which the skill depends: <https://learn.chatgpt.com/docs/build-skills>.

use super::{icons, package::zip_folder, skill, source::Source, templates::Templates};

/// The file name of the package.
pub(super) const PACKAGE: &str = "openai-skill.zip";

/// Renders the skill as a zip archive.
pub(super) fn render_package(source: &Source<'_>, templates: &Templates) -> Vec<u8> {
    let mut files = skill::render_files(templates);
    files.push((
        "agents/openai.yaml",
        render_agents_file(source).into_bytes(),
    ));
    for (path, name) in [
        ("assets/icon.png", "icon.png"),
        ("assets/icon.svg", "icon.svg"),
    ] {
        files.push((path, icons::find_icon(name).unwrap_or_default().to_vec()));
    }
    zip_folder(skill::NAME, files)
}

/// Renders `agents/openai.yaml`. The format requires quotes around every text.
fn render_agents_file(source: &Source<'_>) -> String {
    format!(
        r##"interface:
  display_name: "Pauta"
  short_description: "A agenda editorial da sua equipe, com permissões"
  icon_small: "./assets/icon.png"
  icon_large: "./assets/icon.svg"
  brand_color: "#8f2d1e"
  default_prompt: "Use a Pauta: quem sou eu nela e o que espera a minha ação?"

dependencies:
  tools:
    - type: "mcp"
      value: "pauta"
      description: "As ferramentas da Pauta da equipe"
      transport: "streamable_http"
      url: {}
"##,
        serde_json::Value::from(source.mcp_url())
    )
}
