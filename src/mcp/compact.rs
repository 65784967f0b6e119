//! Shortens input schemas for agents, which read the complete list of tools in every conversation.
//! The gateway still enforces the removed rules, and OpenAPI publishes them.
//!
//! Text fields in the published schemas have a pattern against NUL characters; tools omit it.

use domain::IDEMPOTENCY_KEY_PATTERN;
use gateway::DESCRIBED_BY;
use serde_json::{Map, Value, json};

/// The largest integer that every JSON parser represents exactly.
const LARGEST: u64 = 9_007_199_254_740_991;
/// A `maxLength` up to this value is removed, because no real id or name reaches it.
const SHORT: u64 = 64;
/// The `maxLength` of a cursor. It is removed, because clients return a cursor unchanged.
const CURSOR: u64 = 2048;

/// Removes rules that the descriptions contain in words, and texts that all tools repeat.
pub(super) fn shorten_schema(input: &mut Map<String, Value>) {
    // Clients of agents ignore alternatives at the root of a schema.
    input.remove("oneOf");
    input.remove("dependentRequired");
    input.values_mut().for_each(remove_rules);
    let properties = input.get_mut("properties").and_then(Value::as_object_mut);
    for (name, field) in properties.into_iter().flatten() {
        match name.as_str() {
            "idempotency_key" => {
                field["description"] = "Para repetir sem risco.".into();
                field["pattern"] = IDEMPOTENCY_KEY_PATTERN.into();
            }
            "limit" if !field["default"].is_null() => {
                field["description"] = "Linhas por página; vêm as que cabem.".into();
            }
            "cursor" => field["description"] = "O `next_cursor` anterior.".into(),
            _ => {}
        }
    }
}

fn remove_rules(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(remove_rules),
        Value::Object(map) => {
            if map.remove(DESCRIBED_BY).is_some() {
                map.remove("oneOf");
                map.remove("dependentRequired");
                map.values_mut().for_each(shorten_descriptions);
            }
            if map.get("pattern").is_some_and(Value::is_string) {
                map.remove("pattern");
            }
            let number = |name: &str| map.get(name).and_then(Value::as_u64);
            let longest = number("maxLength");
            let largest = number("maximum");
            let is_natural = number("minimum").is_some_and(|least| least <= 1);
            if map.get("minLength").is_some_and(Value::is_number) {
                map.remove("minLength");
            }
            map.remove("uniqueItems");
            if map.get("default") == Some(&json!([])) {
                map.remove("default");
            }
            if longest.is_some_and(|longest| longest <= SHORT || longest == CURSOR) {
                map.remove("maxLength");
            }
            if largest == Some(LARGEST) {
                map.remove("maximum");
            }
            if largest == Some(LARGEST) || is_natural {
                map.remove("minimum");
            }
            map.values_mut().for_each(remove_rules);
        }
        _ => {}
    }
}

/// Truncates each description after its first clause; the complete text is in the schema of another
/// tool.
fn shorten_descriptions(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(shorten_descriptions),
        Value::Object(map) => {
            if let Some(Value::String(text)) = map.get_mut("description") {
                let ends = ["; ", ". "].iter().filter_map(|end| text.find(end));
                let end = ends.min().unwrap_or(text.len());
                text.truncate(end);
            }
            map.values_mut().for_each(shorten_descriptions);
        }
        _ => {}
    }
}
