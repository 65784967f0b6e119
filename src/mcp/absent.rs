//! Nullable fields of REST are optional fields of tools, where absence means null. Agents leave
//! fields out where programs write null, and clients handle unions of types badly.

use serde_json::{Map, Value};

/// Presents nullable fields as optional ones.
pub(super) fn show(schema: &mut Map<String, Value>) {
    let names: Vec<String> = nullable(schema).map(str::to_owned).collect();
    for name in &names {
        if let Some(Value::Array(types)) = schema["properties"][name].get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                schema["properties"][name]["type"] = only;
            }
        }
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| names.iter().all(|other| name != other));
    }
}

/// Writes null into the nullable fields that are absent.
pub(super) fn fill(nullable: &[String], arguments: &mut Map<String, Value>) {
    for name in nullable {
        if !arguments.contains_key(name) {
            arguments.insert(name.clone(), Value::Null);
        }
    }
}

/// The fields that may be null.
pub(super) fn nullable(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let fields = properties.into_iter().flatten();
    let may_be_null = |field: &Value| {
        let types = field.get("type").and_then(Value::as_array);
        types.is_some_and(|types| types.iter().any(|kind| kind == "null"))
    };
    fields
        .filter(move |(_, field)| may_be_null(field))
        .map(|(name, _)| name.as_str())
}
