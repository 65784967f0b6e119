//! The merged input of a call, and its validation against the published schema.

use jsonschema::Validator;
use serde_json::{Map, Number, Value, json};

use super::{Error, Fault, Result, Spec, faults, intended_field};

/// Converts text from a path, query or header to the type in the schema.
///
/// Text that cannot be parsed as that type stays text, and the validator refuses it.
#[must_use]
pub fn coerce(schema: &Map<String, Value>, field: &str, text: String) -> Value {
    let property = schema.get("properties").and_then(|p| p.get(field));
    match property.and_then(|p| p.get("type")).and_then(Value::as_str) {
        Some("integer") => text.parse::<i64>().map_or(Value::String(text), Value::from),
        Some("boolean") if text == "true" || text == "false" => Value::Bool(text == "true"),
        _ => Value::String(text),
    }
}

/// Converts whole floats such as 1.0 to integers: JSON Schema accepts them as integers, but serde
/// does not.
pub(super) fn convert_whole_floats(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number
                .as_f64()
                .filter(|f| number.is_f64() && f.fract() == 0.0)
                && float.abs() < 9_007_199_254_740_992.0
            {
                #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
                let whole = float as i64;
                *number = Number::from(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(convert_whole_floats),
        Value::Object(map) => map.values_mut().for_each(convert_whole_floats),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Validates the input and reports all field errors together.
///
/// If the text that `Spec::oversize` names is too long, only this error is reported, with its own
/// code.
pub(super) fn validate(
    validator: &Validator,
    schema: &Map<String, Value>,
    input: &Value,
    spec: &Spec,
) -> Result<()> {
    let faults = faults::field_errors(validator, input);
    if faults.is_empty() {
        return Ok(());
    }
    let oversize = spec
        .oversize
        .and_then(|(field, code)| Some((faults::length_error(validator, input, field)?, code)));
    Err(match oversize {
        Some((fault, code)) => Error::new(code).with_detail("fields", json!([fault])),
        None => Error::from_faults(add_hints(faults, schema, spec)),
    })
}

/// Adds a hint to each fault: the value or field to use instead, from the hints of the operation or
/// from the table of synonyms. The fault of the first unknown field without a hint lists the
/// existing fields.
fn add_hints(mut faults: Vec<Fault>, schema: &Map<String, Value>, spec: &Spec) -> Vec<Fault> {
    let mut listed = false;
    for fault in &mut faults {
        let is_unknown = fault.rule == "additionalProperties";
        if !is_unknown && fault.rule != "enum" && fault.rule != "pattern" {
            continue;
        }
        let place = to_wildcard_path(&fault.field);
        let hint = spec.hints.iter().find(|(field, _)| *field == place);
        if let Some((_, hint)) = hint {
            fault.message = format!("{}; {hint}", fault.message);
        } else if let Some(field) = intended_field(schema, &fault.field).filter(|_| is_unknown) {
            fault.message = format!("{}; use `{field}`", fault.message);
        } else if is_unknown && !listed && !fault.field.contains('.') {
            let fields = schema.get("properties").and_then(Value::as_object);
            let names: Vec<&str> = fields
                .into_iter()
                .flat_map(Map::keys)
                .map(|n| &**n)
                .collect();
            if !names.is_empty() {
                fault.message = format!("{}, que tem `{}`", fault.message, names.join("`, `"));
                listed = true;
            }
        }
    }
    faults
}

/// Converts `cards.0.title` to `cards.*.title`.
fn to_wildcard_path(field: &str) -> String {
    let part = |part: &str| match part.parse::<usize>() {
        Ok(_) => "*".to_owned(),
        Err(_) => part.to_owned(),
    };
    field.split('.').map(part).collect::<Vec<_>>().join(".")
}

/// Largest input, in bytes, that is validated in place. Larger ones are validated on another
/// thread.
pub const SMALL_INPUT: usize = 64_000;

/// True if these values exceed `SMALL_INPUT`, so that validating them would delay other calls on
/// this thread.
pub fn is_large<'a>(values: impl IntoIterator<Item = &'a Value>) -> bool {
    fn consume_budget(value: &Value, left: &mut usize) -> bool {
        const EACH: usize = 16;
        let text = |text: &String| EACH + text.len();
        let bytes = match value {
            Value::String(value) => text(value),
            Value::Object(map) => EACH + map.keys().map(text).sum::<usize>(),
            _ => EACH,
        };
        let Some(less) = left.checked_sub(bytes) else {
            return false;
        };
        *left = less;
        match value {
            Value::Array(items) => items.iter().all(|item| consume_budget(item, left)),
            Value::Object(map) => map.values().all(|value| consume_budget(value, left)),
            _ => true,
        }
    }
    let mut left = SMALL_INPUT;
    !values
        .into_iter()
        .all(|value| consume_budget(value, &mut left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_coerced_by_the_schema() {
        let schema =
            json!({ "properties": { "limit": { "type": "integer" }, "q": { "type": "string" } } });
        let schema = schema.as_object().expect("an object");
        assert_eq!(coerce(schema, "limit", "12".into()), json!(12));
        assert_eq!(coerce(schema, "limit", "12.5".into()), json!("12.5"));
        assert_eq!(coerce(schema, "q", "12".into()), json!("12"));
    }

    #[test]
    fn whole_floats_become_integers() {
        let mut value = json!({ "a": 1.0, "b": [2.5, 3.0], "c": 1e300 });
        convert_whole_floats(&mut value);
        assert_eq!(value, json!({ "a": 1, "b": [2.5, 3], "c": 1e300 }));
    }
}
