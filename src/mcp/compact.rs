//! Shortens input schemas for agents, which read the complete list of tools in every conversation.
//! The gateway still enforces the removed rules, and OpenAPI publishes them.
//!
//! Text fields in the published schemas have a pattern against NUL characters; tools omit it.
//!
//! The shortened schemas omit `additionalProperties: false`, although the gateway refuses unknown
//! fields. Otherwise a client that validates arguments by the schema would refuse the misspelled field
//! names that `spelling.rs` corrects.

use gateway::{DESCRIBED_BY, EXACTLY_ONE};
use serde_json::{Map, Value, json};

use super::rules;

/// A `maxLength` of at most this value is removed. Fields with such a limit contain ids, names or
/// titles, and real ids, names and titles are shorter than the limit.
const SHORT: u64 = 400;
/// A `maxLength` of at least this value is removed, because agents write shorter texts.
const LONG: u64 = 1_000;
/// A `maximum` of at least this value is removed, because agents send smaller numbers. A `maximum` of 1,
/// which fractions have, is removed too.
const HUGE: u64 = 99;
/// A `maxItems` of at least this value is removed, because agents write shorter lists.
const MANY: u64 = 10;
/// The maximum number of values of an enumeration that [`keep_names_and_types`] keeps.
const FEW_VALUES: usize = 8;

/// Removes rules that the descriptions contain in words, and texts that all tools repeat.
/// `file_params` are the fields that the host fills and not the agent.
pub(super) fn shorten_schema(input: &mut Map<String, Value>, file_params: &[&str]) {
    // Clients of agents ignore alternatives at the root of a schema.
    input.remove("oneOf");
    input.remove(EXACTLY_ONE);
    input.remove("dependentRequired");
    input.remove("additionalProperties");
    let properties = input.get_mut("properties").and_then(Value::as_object_mut);
    for (name, field) in properties.into_iter().flatten() {
        remove_rules(field);
        match name.as_str() {
            "idempotency_key" => {
                *field = json!({ "type": "string", "description": rules::SAME_KEY });
            }
            // The gateway refuses a larger page, and the error contains the maximum.
            "limit" if !field["default"].is_null() => *field = json!({ "type": "integer" }),
            // An agent copies the cursor from the output of the previous page.
            "cursor" => *field = json!({ "type": "string" }),
            "day" | "month" | "year" => *field = json!({ "type": "integer" }),
            _ if file_params.contains(&name.as_str()) => keep_names_and_types(field),
            _ => remove_plain_text(name, field),
        }
    }
}

/// Names of fields whose short descriptions add little to the name, the values and the description of the
/// tool.
const PLAIN_NAMES: [&str; 29] = [
    "action",
    "alt",
    "aspect",
    "attach",
    "cards",
    "channel",
    "detach",
    "disable_comment",
    "duration_s",
    "email",
    "fim",
    "formato",
    "kind",
    "limite",
    "mencionam_me",
    "meta_centavos",
    "name",
    "nome",
    "operations",
    "quality",
    "reason",
    "status",
    "style",
    "templateId",
    "template_id",
    "texto",
    "title",
    "tom",
    "type",
];
/// The maximum length of a short description, in bytes.
const SHORT_TEXT: usize = 24;

/// Removes a description that only repeats the name of its field, such as "Id do evento." or, for a
/// filter, "Só este canal."
fn remove_plain_text(name: &str, field: &mut Value) {
    let text = field["description"].as_str().unwrap_or_default();
    let is_id = name == "id" || name.ends_with("Id") || name.ends_with("_id");
    let is_plain = is_id && text.starts_with("Id d")
        || text.starts_with("Só ") && text.contains("est")
        || PLAIN_NAMES.contains(&name);
    if let (true, Value::Object(field)) = (is_plain && text.len() <= SHORT_TEXT, field) {
        field.remove("description");
    }
}

fn remove_rules(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(remove_rules),
        Value::Object(map) => {
            if map.remove(DESCRIBED_BY).is_some() {
                map.remove("oneOf");
                map.remove("dependentRequired");
                let mut object = Value::Object(std::mem::take(map));
                keep_names_and_types(&mut object);
                if let Value::Object(outlined) = object {
                    *map = outlined;
                }
            }
            let text = |name: &str| map.get(name).is_some_and(Value::is_string);
            let number = |name: &str| map.get(name).and_then(Value::as_u64);
            let removed = [
                ("pattern", text("pattern")),
                ("minLength", number("minLength").is_some()),
                (
                    "maxLength",
                    number("maxLength").is_some_and(|most| most <= SHORT || most >= LONG),
                ),
                (
                    "maximum",
                    number("maximum").is_some_and(|most| most == 1 || most >= HUGE),
                ),
                (
                    "maxItems",
                    number("maxItems").is_some_and(|most| most >= MANY),
                ),
                ("minimum", number("minimum").is_some_and(|least| least <= 1)),
                ("minItems", number("minItems") == Some(1)),
                // An agent copies an instant from an earlier response, so the format `date-time` is not
                // needed. The format `double` of a fraction adds nothing to its type.
                (
                    "format",
                    [Some(&json!("date-time")), Some(&json!("double"))]
                        .contains(&map.get("format")),
                ),
                ("uniqueItems", map.contains_key("uniqueItems")),
                (
                    "additionalProperties",
                    map.get("additionalProperties") == Some(&json!(false)),
                ),
                (
                    "default",
                    [Some(&json!([])), Some(&json!(false))].contains(&map.get("default")),
                ),
            ];
            for (keyword, is_removed) in removed {
                if is_removed {
                    map.remove(keyword);
                }
            }
            // The items need no description, because the list and the fields of the items have
            // descriptions.
            if let Some(items) = map.get_mut("items").and_then(Value::as_object_mut) {
                items.remove("description");
            }
            map.values_mut().for_each(remove_rules);
        }
        _ => {}
    }
}

/// Removes from each field of an object its description, its bounds, its own fields and an `enum` of more
/// than [`FEW_VALUES`] values. Used for objects whose fields another tool describes, and for objects that the
/// host fills.
fn keep_names_and_types(object: &mut Value) {
    let fields = object.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(Map::values_mut) {
        let Value::Object(field) = field else {
            continue;
        };
        for keyword in ["description", "properties", "minimum", "maximum"] {
            field.remove(keyword);
        }
        let values = field.get("enum").and_then(Value::as_array);
        if values.is_some_and(|values| values.len() > FEW_VALUES) {
            field.remove("enum");
        }
    }
}
