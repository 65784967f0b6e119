//! The published documents, rendered from the table, the templates and the examples.

mod artifact;
mod chatgpt;
mod cli;
mod curl;
mod examples;
mod facts;
mod manifest;
mod openapi;
mod postman;
mod release;
mod skill;
mod source;
mod templates;
mod yaml;

pub use artifact::{Artifact, Encoding};
pub use examples::{Example, Examples, RECORDED, RECORDED_URL};
pub use release::{API_VERSION, RELEASE_DATE};

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use gateway::{Gateway, RawKind, RawRoute, Registry};
use serde_json::Value;

use source::Source;
use templates::Templates;

/// The manifest, which lists all the others and is therefore rendered last.
const MANIFEST: &str = "manifest.json";
/// The part of the contract that fits the actions of a GPT.
pub const CHATGPT_PROFILE: &str = "openapi-chatgpt.json";

/// The documents of one installation, by file name. They are rendered on the first request.
#[derive(Default)]
pub struct Artifacts(OnceLock<BTreeMap<&'static str, Arc<Artifact>>>);

impl Artifacts {
    /// A document; `None` when this build lacks it.
    #[must_use]
    pub fn get(&self, gateway: &Gateway, name: &str) -> Option<Arc<Artifact>> {
        let rendered = || render(&gateway.registry, &gateway.services.public_url);
        self.0.get_or_init(rendered).get(name).cloned()
    }

    /// Whether they are rendered.
    #[must_use]
    pub fn are_ready(&self) -> bool {
        self.0.get().is_some()
    }
}

/// Every document for a public address, by file name.
#[must_use]
pub fn render(registry: &Registry, public_url: &str) -> BTreeMap<&'static str, Arc<Artifact>> {
    let examples = Examples::read(public_url);
    let source = Source {
        registry,
        url: public_url,
        examples: &examples,
    };
    let templates = Templates::new(&source);
    let openapi = openapi::document(&source);
    let mut documents = BTreeMap::new();
    for route in registry.raw.iter().filter(|r| r.kind == RawKind::Artifact) {
        if let Some(bytes) = bytes(route, &source, &templates, &openapi) {
            documents.insert(route.file_name(), Artifact::new(route.content_type, bytes));
        }
    }
    let chatgpt = chatgpt::profile(&openapi, registry);
    documents.insert(
        CHATGPT_PROFILE,
        Artifact::new("application/json", pretty(&chatgpt)),
    );
    for (path, bytes) in skill::references(&templates) {
        documents.insert(path, Artifact::new("text/markdown", bytes));
    }
    if let Some(skill) = documents.get("SKILL.md") {
        let index = skill::index(skill, public_url);
        let index = Artifact::new("application/json", pretty(&index));
        documents.insert(skill::INDEX, index);
    }
    for route in registry.raw.iter().filter(|r| r.file_name() == MANIFEST) {
        let manifest = manifest::document(registry, public_url, &documents);
        let manifest = Artifact::new(route.content_type, pretty(&manifest));
        documents.insert(MANIFEST, manifest);
    }
    documents
}

/// The conventional paths where agents look for documents, each with its document.
pub(crate) fn conventional_places() -> impl Iterator<Item = (String, &'static str)> {
    let guides = ["llms.txt", "llms-full.txt"].map(|name| (format!("/{name}"), name));
    guides.into_iter().chain(skill::places())
}

/// The bytes of one document; `None` when this build cannot render it.
fn bytes(
    route: &RawRoute,
    source: &Source<'_>,
    templates: &Templates,
    openapi: &Value,
) -> Option<Vec<u8>> {
    Some(match route.file_name() {
        "openapi.json" => pretty(openapi),
        "openapi.yaml" => yaml::text(openapi).into_bytes(),
        "postman.json" => pretty(&postman::document(source)),
        "SKILL.md" => skill::skill(templates),
        skill::PACKAGE => skill::package(templates),
        name @ ("llms.txt" | "llms-full.txt" | "mcp-setup.md" | "cursor.mdc" | "claude.md"
        | "chatgpt.md" | "cli.mjs") => templates.render(name),
        _ => return None,
    })
}

fn pretty(document: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(document).expect("a JSON value is serialisable");
    text.push(b'\n');
    text
}
