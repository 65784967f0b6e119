//! Renders the hand-written templates in `ai-artifacts/templates` with facts from the registry.

use minijinja::{
    Environment, UndefinedBehavior,
    syntax::SyntaxConfig,
    value::{Serde, Value},
};

use super::{facts::Facts, source::Source};

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../ai-artifacts/templates/", $name, ".j2")))),*]
    };
}

/// Name and text of each template.
const TEMPLATES: [(&str, &str); 17] = embedded![
    "chatgpt.md",
    "claude.md",
    "cli.mjs",
    "cursor.mdc",
    "lists/capabilities",
    "lists/errors",
    "lists/permission",
    "lists/statuses",
    "lists/tools",
    "lists/toolsets",
    "llms-full.txt",
    "llms.txt",
    "mcp-setup.md",
    "skill/SKILL.md",
    "skill/references/erros.md",
    "skill/references/fluxos.md",
    "skill/references/operacoes.md",
];

/// The template environment, and the facts that all templates receive.
pub(super) struct Templates {
    environment: Environment<'static>,
    facts: Value,
}

impl Templates {
    pub(super) fn new(source: &Source<'_>) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // A line that contains only a tag produces no empty line.
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()
            .expect("the default delimiters are valid");
        environment.set_syntax(syntax);
        for (name, text) in TEMPLATES {
            environment
                .add_template(name, text)
                .unwrap_or_else(|error| panic!("{error:#}"));
        }
        Self {
            environment,
            facts: Value::from(Serde(Facts::from_source(source))),
        }
    }

    /// Renders a template.
    ///
    /// # Panics
    /// If the template does not exist or uses an unknown variable. The test suite renders all
    /// templates.
    pub(super) fn render_template(&self, name: &str) -> Vec<u8> {
        let template = self.environment.get_template(name);
        let text = template.and_then(|template| template.render(&self.facts));
        text.unwrap_or_else(|error| panic!("{error:#}"))
            .into_bytes()
    }
}
