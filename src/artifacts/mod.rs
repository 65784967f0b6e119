//! The published documents, rendered from the registry, the templates and the examples.
//!
//! Tables and lists in the templates are generated from the registry, so that the text cannot
//! become outdated; an unknown variable is an error. The test suite and CI run everything that is
//! published: each shell block, tool call, request and command of each document, on a fresh demo.
//!
//! Documents are rendered on the first request, with the installation's public URL, and compressed once
//! per encoding. The manifest is rendered last, because it contains the hashes of the other documents.

mod chatgpt;
mod cli;
mod curl;
mod examples;
mod facts;
mod icons;
mod manifest;
mod openai_skill;
mod openapi;
mod openapi_errors;
mod package;
mod plugin;
mod postman;
mod pretty;
mod release;
mod samples;
mod server_json;
mod skill;
mod source;
mod templates;
pub(crate) mod yaml;

pub(crate) use icons::list_icons;
pub(crate) use source::DIRECTORY_PROFILE;

pub use examples::{Example, Examples, RECORDED, RECORDED_URL};
pub use release::{API_VERSION, RELEASE_DATE};
pub use samples::CatalogSamples;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use gateway::{Document, Documents, Registry, StaticDocument};
use serde_json::Value;

use pretty::to_pretty_json;
use source::Source;
use templates::Templates;

/// The file name of the manifest.
const MANIFEST: &str = "manifest.json";
/// The file name of the OpenAPI document for custom GPTs.
pub const CHATGPT_PROFILE: &str = "openapi-chatgpt.json";

/// The documents of one installation, rendered on the first request.
pub struct Artifacts {
    registry: Arc<Registry>,
    public_url: String,
    issuer: Option<String>,
    rendered: OnceLock<BTreeMap<&'static str, Arc<StaticDocument>>>,
}

impl Artifacts {
    /// Creates the documents, which are rendered later. `issuer` is the URL of the hosted issuer; `None`
    /// with the embedded identity provider.
    #[must_use]
    pub fn new(registry: Arc<Registry>, public_url: String, issuer: Option<String>) -> Self {
        Self {
            registry,
            public_url,
            issuer,
            rendered: OnceLock::new(),
        }
    }
}

impl Documents for Artifacts {
    fn is_ready(&self) -> bool {
        self.rendered.get().is_some()
    }

    fn find(&self, name: &str) -> Option<Arc<dyn Document>> {
        let rendered =
            || render_documents(&self.registry, &self.public_url, self.issuer.as_deref());
        Some(self.rendered.get_or_init(rendered).get(name)?.clone())
    }
}

/// Renders all documents for the service's public URL, keyed by file name.
#[must_use]
pub fn render_documents(
    registry: &Registry,
    public_url: &str,
    issuer: Option<&str>,
) -> BTreeMap<&'static str, Arc<StaticDocument>> {
    let examples = Examples::read_recorded(public_url);
    let source = Source {
        registry,
        url: public_url,
        issuer,
        examples: &examples,
    };
    let templates = Templates::new(&source);
    let openapi = openapi::build_openapi(&source);
    let mut documents = BTreeMap::new();
    for spec in source.document_routes() {
        if let Some(bytes) =
            render_document(spec.last_path_segment(), &source, &templates, &openapi)
        {
            let artifact = StaticDocument::new(spec.output.media_type(), bytes);
            documents.insert(spec.last_path_segment(), artifact);
        }
    }
    let chatgpt = chatgpt::reduce_openapi(&openapi, registry);
    documents.insert(
        CHATGPT_PROFILE,
        StaticDocument::new("application/json", to_pretty_json(&chatgpt)),
    );
    for (path, bytes) in skill::render_reference_files(&templates) {
        documents.insert(path, StaticDocument::new("text/markdown", bytes));
    }
    if let Some(skill) = documents.get("SKILL.md") {
        let index = skill::render_index(skill, &source);
        let index = StaticDocument::new("application/json", to_pretty_json(&index));
        documents.insert(skill::INDEX, index);
    }
    if let Some(package) = documents.get(plugin::PACKAGE) {
        let marketplace = plugin::build_marketplace(&source, package);
        let marketplace = StaticDocument::new("application/json", to_pretty_json(&marketplace));
        documents.insert(plugin::MARKETPLACE, marketplace);
    }
    if source
        .document_routes()
        .any(|spec| spec.last_path_segment() == MANIFEST)
    {
        let manifest = manifest::build_manifest(&source, &documents);
        let manifest = StaticDocument::new("application/json", to_pretty_json(&manifest));
        documents.insert(MANIFEST, manifest);
    }
    documents
}

/// Renders one document; `None` if this module does not know its file name.
fn render_document(
    file_name: &str,
    source: &Source<'_>,
    templates: &Templates,
    openapi: &Value,
) -> Option<Vec<u8>> {
    Some(match file_name {
        "openapi.json" => to_pretty_json(openapi),
        "openapi.yaml" => yaml::to_yaml(openapi).into_bytes(),
        "postman.json" => to_pretty_json(&postman::build_collection(source)),
        "SKILL.md" => skill::render_skill(templates),
        skill::PACKAGE => skill::render_package(templates),
        server_json::FILE => to_pretty_json(&server_json::build_server_json(source)),
        plugin::PACKAGE => plugin::render_package(source, templates),
        openai_skill::PACKAGE => openai_skill::render_package(source, templates),
        "icon.png" | "icon.svg" => icons::find_icon(file_name)?.to_vec(),
        name @ ("llms.txt" | "llms-full.txt" | "mcp-setup.md" | "cursor.mdc" | "claude.md"
        | "chatgpt.md" | "cli.mjs") => templates.render_template(name),
        _ => return None,
    })
}
