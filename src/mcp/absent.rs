//! Converts nullable fields of REST to optional fields of tools. Agents omit fields where programs
//! write null, and clients handle union types badly.

use serde_json::{Map, Value};

/// Removes `null` from the types of nullable fields and makes these fields optional.
pub(super) fn make_optional(schema: &mut Map<String, Value>) {
    let names: Vec<String> = nullable_fields(schema).map(str::to_owned).collect();
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

/// Sets absent nullable fields to null.
pub(super) fn fill_nulls(nullable: &[String], arguments: &mut Map<String, Value>) {
    for name in nullable {
        if !arguments.contains_key(name) {
            arguments.insert(name.clone(), Value::Null);
        }
    }
}

/// Returns the names of nullable fields.
pub(super) fn nullable_fields(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
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
