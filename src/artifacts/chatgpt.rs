//! Reduces the OpenAPI document to the limits of custom GPT actions.
//!
//! The limits are 30 operations, 300 characters for summaries and descriptions, 700 for parameter
//! descriptions, one bearer credential and no custom headers:
//! <https://platform.openai.com/docs/actions/production>.

use gateway::{Registry, Spec};
use serde_json::{Map, Value, json};

/// Maximum number of operations that a custom GPT accepts.
pub(super) const OPERATIONS: usize = 30;
const TEXT: usize = 300;
const PARAMETER_TEXT: usize = 700;

/// Splits the tools into those within the operation limit of a custom GPT and those beyond it.
/// Tools of the contract take precedence over extensions.
fn split_by_limit(registry: &Registry) -> (Vec<&Spec>, Vec<&Spec>) {
    let tools = registry
        .operations
        .iter()
        .filter(|o| o.spec.is_model_tool());
    let promised = tools.clone().filter(|o| !o.spec.extension).count();
    let mut room = OPERATIONS.min(promised);
    let mut extra = OPERATIONS - room;
    tools.map(|o| &o.spec).partition(|spec| {
        let places = if spec.extension {
            &mut extra
        } else {
            &mut room
        };
        let fits = *places > 0;
        *places -= usize::from(fits);
        fits
    })
}

/// Returns the operation ids of the tools that exceed the limit.
pub(super) fn operations_over_limit(registry: &Registry) -> Vec<String> {
    let (_, left_out) = split_by_limit(registry);
    left_out.iter().map(|spec| spec.operation_id()).collect()
}

/// Reduces the OpenAPI document to the tools within the size limits of a custom GPT.
pub(super) fn reduce_openapi(openapi: &Value, registry: &Registry) -> Value {
    let (fitting, _) = split_by_limit(registry);
    let mut paths = Map::new();
    for spec in fitting {
        let method = spec.verb.as_str().to_lowercase();
        let mut object = openapi["paths"][spec.path][&method].clone();
        reduce_operation(&mut object);
        object["x-openai-isConsequential"] = spec.is_recorded().into();
        let item = paths.entry(spec.path).or_insert_with(|| json!({}));
        item[method] = object;
    }
    let mut document = openapi.clone();
    document["paths"] = paths.into();
    document["info"]["description"] =
        "A Pauta nas ações de um GPT. Comece por `getMe`; releia antes de cada mudança.".into();
    let used = |tag: &Value| {
        let paths = document["paths"].as_object().into_iter().flatten();
        let mut operations = paths.flat_map(|(_, item)| item.as_object().into_iter().flatten());
        operations.any(|(_, operation)| operation["tags"][0] == tag["name"])
    };
    let tags = document["tags"].as_array().into_iter().flatten();
    document["tags"] = tags.filter(|tag| used(tag)).cloned().collect();
    if let Some(schemes) = document["components"]["securitySchemes"].as_object_mut() {
        schemes.remove("session");
    }
    document
}

fn reduce_operation(operation: &mut Value) {
    truncate_text(&mut operation["summary"], TEXT);
    truncate_text(&mut operation["description"], TEXT);
    operation["security"] = json!([{ "personalToken": [] }]);
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.retain(|parameter| parameter["in"] != "header");
        for parameter in parameters {
            truncate_text(&mut parameter["description"], PARAMETER_TEXT);
        }
    }
    // Removes links, which may lead to operations that are left out, and examples, which make the
    // file larger.
    for (_, response) in operation["responses"].as_object_mut().into_iter().flatten() {
        if let Some(response) = response.as_object_mut() {
            response.remove("links");
            response.remove("headers");
            if let Some(content) = response.get_mut("content") {
                for (_, content) in content.as_object_mut().into_iter().flatten() {
                    content
                        .as_object_mut()
                        .map(|content| content.remove("example"));
                }
            }
        }
    }
}

/// Truncates a text after the last sentence or word within the limit.
fn truncate_text(text: &mut Value, limit: usize) {
    let Some(whole) = text.as_str() else { return };
    if whole.chars().count() <= limit {
        return;
    }
    let cut: String = whole.chars().take(limit - 1).collect();
    let end = cut.rfind(['.', '\n']).map(|at| at + 1);
    let end = end.filter(|at| *at > limit / 3);
    let end = end.or_else(|| cut.rfind(' ')).unwrap_or(cut.len());
    let short = cut[..end].trim_end();
    let mark = if short.ends_with('.') { "" } else { "…" };
    *text = format!("{short}{mark}").into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_at_a_sentence_within_the_limit() {
        let mut text = Value::from(format!("{}. {}", "a".repeat(200), "b ".repeat(100)));
        truncate_text(&mut text, TEXT);
        assert_eq!(text, format!("{}.", "a".repeat(200)));
        let mut text = Value::from("palavra ".repeat(50));
        truncate_text(&mut text, TEXT);
        let text = text.as_str().expect("text");
        assert!(text.chars().count() <= TEXT && text.ends_with("palavra…"));
    }
}
