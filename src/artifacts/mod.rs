//! The published documents, rendered from the table, the templates and the examples.

mod chatgpt;
mod cli;
mod examples;
mod manifest;
mod openapi;
mod postman;
mod prose;
mod skill;
mod yaml;

pub use examples::{Example, Examples, RECORDED, RECORDED_URL};
pub use openapi::API_VERSION;

use std::{
    collections::BTreeMap,
    io::Write,
    sync::{Arc, OnceLock},
};

use axum::body::Bytes;
use brotli::enc::BrotliEncoderParams;
use domain::sha256_hex;
use flate2::{Compression, write::GzEncoder};
use gateway::{Document, Documents, Encoding, OutputForm, Registry, Spec};
use serde_json::Value;

/// When this version of the interface was released.
pub const RELEASE_DATE: &str = "2026-08-22";
/// What names all the others, and so comes last.
const MANIFEST: &str = "manifest.json";
/// The part of the contract that fits the actions of a GPT.
pub const CHATGPT_PROFILE: &str = "openapi-chatgpt.json";

/// A document as it is served.
pub struct Artifact {
    pub media_type: &'static str,
    pub bytes: Bytes,
    pub sha256: String,
    gzip: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
}

impl Artifact {
    fn new(media_type: &'static str, bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self {
            media_type,
            sha256: sha256_hex(&bytes),
            bytes: bytes.into(),
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        })
    }
}

impl Document for Artifact {
    fn media_type(&self) -> &'static str {
        self.media_type
    }

    fn sha256(&self) -> &str {
        &self.sha256
    }

    fn is_ready(&self, encoding: Encoding) -> bool {
        match encoding {
            Encoding::Identity => true,
            Encoding::Gzip => self.gzip.get().is_some(),
            Encoding::Brotli => self.brotli.get().is_some(),
        }
    }

    fn encoded(&self, encoding: Encoding) -> Bytes {
        match encoding {
            Encoding::Identity => self.bytes.clone(),
            Encoding::Gzip => self.gzip.get_or_init(|| gzip(&self.bytes)).clone(),
            Encoding::Brotli => self.brotli.get_or_init(|| brotli(&self.bytes)).clone(),
        }
    }
}

fn gzip(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    encoder.write_all(bytes).expect("a vector takes all");
    encoder.finish().expect("a vector takes all").into()
}

fn brotli(bytes: &[u8]) -> Bytes {
    let params = BrotliEncoderParams {
        quality: 9,
        ..BrotliEncoderParams::default()
    };
    let mut packed = vec![];
    brotli::BrotliCompress(&mut &*bytes, &mut packed, &params).expect("a vector takes all");
    packed.into()
}

/// What the documents are rendered from.
pub(crate) struct Source<'a> {
    pub registry: &'a Registry,
    /// Without a trailing slash.
    pub url: &'a str,
    pub examples: &'a Examples,
}

/// The documents of one installation, by file name; rendered when one is first asked for.
#[derive(Default)]
pub struct Artifacts(OnceLock<BTreeMap<&'static str, Arc<Artifact>>>);

impl Documents for Artifacts {
    fn is_ready(&self) -> bool {
        self.0.get().is_some()
    }

    fn find(&self, registry: &Registry, public_url: &str, name: &str) -> Option<Arc<dyn Document>> {
        let documents = self.0.get_or_init(|| render(registry, public_url));
        Some(documents.get(name)?.clone())
    }
}

/// The rows of the table that are documents of their own.
fn documents(registry: &Registry) -> impl Iterator<Item = &Spec> {
    let specs = registry.pages.iter().map(|page| &page.spec);
    specs.filter(|spec| matches!(spec.output, OutputForm::Document(_)) && !spec.extension)
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
    let openapi = openapi::document(&source);
    let mut documents = BTreeMap::new();
    for spec in self::documents(registry) {
        if let Some(bytes) = bytes(spec.file_name(), &source, &openapi) {
            let artifact = Artifact::new(spec.output.media_type(), bytes);
            documents.insert(spec.file_name(), artifact);
        }
    }
    let chatgpt = chatgpt::profile(&openapi, registry);
    documents.insert(
        CHATGPT_PROFILE,
        Artifact::new("application/json", pretty(&chatgpt)),
    );
    for (path, bytes) in skill::references(&source) {
        documents.insert(path, Artifact::new("text/markdown", bytes));
    }
    if let Some(skill) = documents.get("SKILL.md") {
        let index = skill::index(skill, public_url);
        let index = Artifact::new("application/json", pretty(&index));
        documents.insert(skill::INDEX, index);
    }
    if self::documents(registry).any(|spec| spec.file_name() == MANIFEST) {
        let manifest = manifest::document(registry, public_url, &documents);
        let manifest = Artifact::new("application/json", pretty(&manifest));
        documents.insert(MANIFEST, manifest);
    }
    documents
}

/// The bytes of one document; `None` when nothing renders it.
fn bytes(file_name: &str, source: &Source<'_>, openapi: &Value) -> Option<Vec<u8>> {
    let written = |template| prose::fill(template, source).into_bytes();
    Some(match file_name {
        "openapi.json" => pretty(openapi),
        "openapi.yaml" => yaml::text(openapi).into_bytes(),
        "llms.txt" => written(include_str!("../../ai-artifacts/templates/llms.txt")),
        "llms-full.txt" => written(include_str!("../../ai-artifacts/templates/llms-full.txt")),
        "postman.json" => pretty(&postman::document(source)),
        "SKILL.md" => skill::skill(source),
        skill::PACKAGE => skill::package(source),
        "mcp-setup.md" => written(include_str!("../../ai-artifacts/templates/mcp-setup.md")),
        "cursor.mdc" => written(include_str!("../../ai-artifacts/templates/cursor.mdc")),
        "claude.md" => written(include_str!("../../ai-artifacts/templates/claude.md")),
        "chatgpt.md" => written(include_str!("../../ai-artifacts/templates/chatgpt.md")),
        "cli.mjs" => cli::render(source),
        _ => return None,
    })
}

fn pretty(document: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(document).expect("a JSON value is serialisable");
    text.push(b'\n');
    text
}
