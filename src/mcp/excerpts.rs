//! Replaces long texts by excerpts, in pages that are too long for a tool result even with few
//! rows.

use serde_json::{Map, Value};

/// The field that lists the shortened fields of a row.
const CUT: &str = "cortado";
/// Lengths of excerpts in characters, tried in this order. Ids, dates and links are shorter than
/// the last one.
const LENGTHS: [usize; 5] = [10_000, 5_000, 2_000, 800, 300];

/// Returns the output with the longest excerpts that fit into `longest` bytes; `None` if even the
/// shortest ones do not fit.
pub(super) fn shorten_to_fit(
    output: &Map<String, Value>,
    body: &str,
    longest: usize,
) -> Option<String> {
    let answer: Map<String, Value> = serde_json::from_str(body).ok()?;
    LENGTHS.into_iter().find_map(|length| {
        let mut answer = answer.clone();
        shorten_rows(output, &mut answer, length);
        let body = Value::Object(answer).to_string();
        (body.len() <= longest).then_some(body)
    })
}

fn shorten_rows(output: &Map<String, Value>, answer: &mut Map<String, Value>, length: usize) {
    let properties = output.get("properties").unwrap_or(&Value::Null);
    for (name, part) in answer {
        let schema = &properties[name.as_str()];
        match part {
            Value::Array(rows) => {
                for row in rows.iter_mut().filter_map(Value::as_object_mut) {
                    shorten_row(&schema["items"], row, length);
                }
            }
            Value::Object(rows) if schema["properties"].is_null() => {
                for row in rows.values_mut().filter_map(Value::as_object_mut) {
                    shorten_row(&schema["additionalProperties"], row, length);
                }
            }
            Value::Object(row) => shorten_row(schema, row, length),
            _ => {}
        }
    }
}

fn shorten_row(schema: &Value, row: &mut Map<String, Value>, length: usize) {
    let mut names = vec![];
    for (name, value) in row.iter_mut() {
        let field = &schema["properties"][name.as_str()];
        let any = !["type", "anyOf", "enum"]
            .iter()
            .any(|rule| field.get(rule).is_some());
        // A value of any type may contain many short texts, so it is converted to JSON text and
        // shortened as a whole.
        let is_long = |value: &Value| value.to_string().chars().count() > length;
        let was_cut = if any && !value.is_string() && is_long(value) {
            *value = Value::String(excerpt(&value.to_string(), length));
            true
        } else {
            shorten_texts(value, length)
        };
        if was_cut {
            names.push(Value::from(name.as_str()));
        }
    }
    if !names.is_empty() {
        row.insert(CUT.into(), names.into());
    }
}

/// Shortens every text in the value to `length` characters. Returns whether any text was longer.
fn shorten_texts(value: &mut Value, length: usize) -> bool {
    match value {
        Value::String(text) if text.chars().nth(length).is_some() => {
            *text = excerpt(text, length);
            true
        }
        Value::Array(items) => {
            let cut = items.iter_mut().map(|item| shorten_texts(item, length));
            cut.filter(|cut| *cut).count() > 0
        }
        Value::Object(fields) => {
            let cut = fields
                .values_mut()
                .map(|field| shorten_texts(field, length));
            cut.filter(|cut| *cut).count() > 0
        }
        _ => false,
    }
}

fn excerpt(text: &str, length: usize) -> String {
    let begun: String = text.chars().take(length).collect();
    begun + "…"
}
