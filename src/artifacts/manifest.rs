//! `manifest.json`: the size and hash of every served document.

use std::{collections::BTreeMap, sync::Arc};

use gateway::{Spec, StaticDocument};
use serde_json::{Value, json};

use super::{
    release::{API_VERSION, RELEASE_DATE},
    skill,
    source::Source,
};

/// Builds the manifest of the other documents.
pub(super) fn build_manifest(
    source: &Source<'_>,
    documents: &BTreeMap<&str, Arc<StaticDocument>>,
) -> Value {
    let artifacts = source.document_routes().filter_map(|route| {
        let artifact = documents.get(route.last_path_segment())?;
        Some(json!({
            "id": artifact_id(route),
            "path": route.path,
            "url": format!("{}{}", source.url, route.path),
            "media_type": artifact.media_type,
            "bytes": artifact.bytes.len(),
            "sha256": artifact.sha256,
        }))
    });
    let package = documents.get(skill::PACKAGE);
    let skills = package.map(|package| {
        json!({
            "name": skill::NAME,
            "version": API_VERSION,
            "artifact_id": "skill-zip",
            "sha256": package.sha256,
        })
    });
    json!({
        "schema_version": 1,
        "release": { "version": API_VERSION, "date": RELEASE_DATE },
        "artifacts": artifacts.collect::<Vec<_>>(),
        "skills": skills.into_iter().collect::<Vec<_>>(),
    })
}

/// Returns the artifact id of a document: `SKILL.md` becomes `skill-md`.
fn artifact_id(route: &Spec) -> String {
    route.last_path_segment().to_lowercase().replace('.', "-")
}
