//! The OpenAPI document.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    language::{assert_not_english, assert_portuguese},
    parameter_names, path_placeholders, visit_schemas,
};
use crate::{contract::Published, support::TestApp};

#[tokio::test]
async fn yaml_equals_json() {
    let app = TestApp::new().await;
    let json = app
        .anonymous()
        .get("/api/ai/openapi.json")
        .await
        .expect(200);
    let yaml = app
        .anonymous()
        .get("/api/ai/openapi.yaml")
        .await
        .expect(200);
    assert_eq!(json.headers["content-type"], "application/json");
    assert_eq!(yaml.headers["content-type"], "application/yaml");
    let read: Value = serde_yaml_ng::from_str(&yaml.text).expect("YAML");
    assert_eq!(read, json.body);
    assert_eq!(json.body["openapi"], "3.1.0");
}

#[tokio::test]
async fn every_openapi_operation_is_complete() {
    let app = TestApp::new().await;
    let published = Published::load(&app).await;
    let declared: BTreeSet<&str> = published.openapi["tags"]
        .as_array()
        .expect("tags")
        .iter()
        .map(|tag| tag["name"].as_str().expect("text"))
        .collect();
    let mut seen = BTreeSet::new();
    for (method, path, object) in published.openapi_operations() {
        let what = format!("{method} {path}");
        let id = object["operationId"].as_str().expect("an operation id");
        assert!(seen.insert(id), "{what}: another operation has the id {id}");
        assert!(
            object["security"].is_array(),
            "{what} does not state its security"
        );
        assert!(
            declared.contains(object["tags"][0].as_str().expect("a tag")),
            "{what}"
        );
        assert_portuguese(&object["description"], &what);
        let summary = object["summary"].as_str().unwrap_or_default();
        assert!(
            (3..=80).contains(&summary.chars().count()),
            "{what}: summary {summary:?}"
        );
        let responses = object["responses"].as_object().expect("responses");
        for kind in ['2', '4'] {
            let some = responses.keys().any(|status| status.starts_with(kind));
            assert!(
                some || kind == '4' && object["security"] == json!([]),
                "{what}: no {kind}xx"
            );
        }
        for placeholder in path_placeholders(path) {
            assert!(
                parameter_names(object, "path").contains(placeholder),
                "{what}: {placeholder}"
            );
        }
    }
    assert_refs_resolve(&published.openapi, &published.openapi);
}

#[tokio::test]
async fn everything_that_is_published_is_in_portuguese() {
    let app = TestApp::new().await;
    let published = Published::load(&app).await;
    let mut read = 0;
    visit_schemas(&published.openapi, &mut |part| {
        for field in ["description", "summary"] {
            // A `description` that is not text is a property with that name.
            if let Some(text) = part[field].as_str() {
                assert_not_english(text, &part.to_string());
                read += 1;
            }
        }
    });
    assert!(read > 100, "only {read} texts");
    for code in tools::error_codes() {
        assert_not_english(code.message(), code.as_str());
        assert_not_english(code.next_step().unwrap_or_default(), code.as_str());
    }
}

/// Asserts that every `$ref` of a document resolves in it.
fn assert_refs_resolve(document: &Value, part: &Value) {
    match part {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get("$ref") {
                let pointer = reference.strip_prefix('#').expect("a local reference");
                assert!(
                    document.pointer(pointer).is_some(),
                    "{reference} refers to nothing"
                );
            }
            map.values()
                .for_each(|value| assert_refs_resolve(document, value));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|value| assert_refs_resolve(document, value)),
        _ => {}
    }
}
