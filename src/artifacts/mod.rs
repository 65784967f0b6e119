//! Documents rendered from the table.

mod openapi;

pub use openapi::API_VERSION;

use std::sync::Arc;

use axum::body::Bytes;
use serde_json::Value;
use tools::{domain::sha256_hex, registry::Registry};

/// A document as it is served.
pub struct Artifact {
    pub media_type: &'static str,
    pub bytes: Bytes,
    /// Quoted, as the header wants it.
    pub etag: String,
}

impl Artifact {
    fn new(media_type: &'static str, text: String) -> Arc<Self> {
        let etag = format!("\"{}\"", &sha256_hex(text.as_bytes())[..32]);
        Arc::new(Self {
            media_type,
            bytes: text.into(),
            etag,
        })
    }
}

/// Every document, rendered once at start.
pub struct Artifacts {
    pub openapi_json: Arc<Artifact>,
    pub openapi_yaml: Arc<Artifact>,
}

impl Artifacts {
    /// Renders all documents for a public address.
    #[must_use]
    pub fn render(registry: &Registry, public_url: &str) -> Self {
        let openapi = openapi::document(registry, public_url);
        Self {
            openapi_json: Artifact::new("application/json", pretty(&openapi)),
            openapi_yaml: Artifact::new("application/yaml", yaml(&openapi)),
        }
    }

    /// The documents with the file names under which they are published.
    #[must_use]
    pub fn files(&self) -> [(&'static str, &Artifact); 2] {
        [
            ("openapi.json", &self.openapi_json),
            ("openapi.yaml", &self.openapi_yaml),
        ]
    }
}

fn pretty(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a JSON value is serialisable");
    text.push('\n');
    text
}

fn yaml(document: &Value) -> String {
    serde_yaml_ng::to_string(document).expect("a JSON value is serialisable")
}
