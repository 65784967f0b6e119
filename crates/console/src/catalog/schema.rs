//! The schema of an input as a table of fields.

use std::fmt::Write;

use maud::{Markup, html};
use serde_json::Value;

use super::prose;

/// The depth to which nested objects are shown.
const DEEPEST: usize = 4;
/// The maximum length of an example, in characters.
const LONGEST: usize = 80;

/// A row of the table: a field at its depth.
struct Row<'s> {
    name: String,
    schema: &'s Value,
    required: bool,
    example: Option<&'s Value>,
}

/// Draws the table of an object's fields, with the values of an example.
pub(super) fn draw_fields_table(schema: &Value, example: &Value) -> Markup {
    let mut rows = vec![];
    gather_rows("", schema, Some(example), 0, &mut rows);
    html! {
        @if rows.is_empty() {
            p class="soft" { "Não leva entrada." }
        } @else {
            table class="schema stacked" {
                thead { tr { th { "Campo" } th { "Tipo" } th { "O que é" } } }
                tbody {
                    @for row in &rows {
                        tr {
                            td {
                                code { (row.name) }
                                @if row.required { br; small { "obrigatório" } }
                            }
                            td { (draw_type(row.schema)) }
                            td {
                                (prose::draw_paragraph(row.schema["description"].as_str().unwrap_or_default()))
                                @if let Some(example) = row.example {
                                    " " small class="example" { "Exemplo: " code dir="auto" { (shortened_example(example)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn gather_rows<'s>(
    path: &str,
    object: &'s Value,
    example: Option<&'s Value>,
    depth: usize,
    rows: &mut Vec<Row<'s>>,
) {
    let required = object["required"].as_array();
    let is_required = |name: &str| {
        required.is_some_and(|names| names.iter().any(|required_name| required_name == name))
    };
    let fields = object["properties"].as_object().into_iter().flatten();
    let mut fields: Vec<_> = fields
        .filter(|(name, _)| *name != "idempotency_key")
        .collect();
    fields.sort_by_key(|(name, _)| !is_required(name));
    for (name, schema) in fields {
        let full = format!("{path}{name}");
        let example = example.and_then(|example| example.get(name));
        rows.push(Row {
            required: is_required(name),
            name: full.clone(),
            schema,
            example: example.filter(|example| !example.is_object()),
        });
        if depth < DEEPEST {
            gather_rows(&format!("{full}."), schema, example, depth + 1, rows);
            let first = example.and_then(|example| example.get(0));
            gather_rows(
                &format!("{full}[]."),
                &schema["items"],
                first,
                depth + 1,
                rows,
            );
        }
    }
}

fn shortened_example(example: &Value) -> String {
    let text = match example {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    let cut: String = text.chars().take(LONGEST).collect();
    format!("{cut}…")
}

/// Draws the type and the bounds of a field.
fn draw_type(schema: &Value) -> Markup {
    if let Some(values) = schema["enum"].as_array() {
        return html! {
            @for (at, value) in values.iter().enumerate() {
                @if at > 0 { ", " }
                code { (value.as_str().map_or_else(|| value.to_string(), str::to_owned)) }
            }
        };
    }
    let mut words = type_name(schema).to_owned();
    for (rule, before, after) in [
        ("minimum", ", desde ", ""),
        ("maximum", ", até ", ""),
        ("minLength", ", ao menos ", " caracteres"),
        ("maxLength", ", até ", " caracteres"),
        ("minItems", ", ao menos ", ""),
        ("maxItems", ", até ", ""),
    ] {
        if let Some(bound) = schema
            .get(rule)
            .filter(|bound| is_useful_bound(rule, bound))
        {
            let _ = write!(words, "{before}{bound}{after}");
        }
    }
    if let Some(value) = schema.get("default") {
        let _ = write!(words, "; padrão {value}");
    }
    html! { (words) }
}

/// Returns true if the page shows a bound. A minimum of one character and bounds of 2^50 or more are not
/// shown.
fn is_useful_bound(rule: &str, bound: &Value) -> bool {
    let is_small = bound.as_i64().is_none_or(|bound| bound < 1 << 50);
    is_small && !(rule == "minLength" && *bound == 1)
}

fn type_name(schema: &Value) -> &'static str {
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("string"), Some("date")) => "data (AAAA-MM-DD)",
        (Some("string"), Some("date-time")) => "instante (ISO 8601)",
        (Some("string"), _) => "texto",
        (Some("integer"), _) => "inteiro",
        (Some("number"), _) => "número",
        (Some("boolean"), _) => "sim ou não",
        (Some("array"), _) => match schema["items"]["type"].as_str() {
            Some("string") => "lista de textos",
            _ => "lista",
        },
        (Some("object"), _) => "objeto",
        _ if schema["type"].is_array() => "texto ou nulo",
        _ => "qualquer valor",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_nested_objects_are_shown_with_their_path() {
        let schema = json!({
            "required": ["cards"],
            "properties": {
                "cards": { "type": "array", "maxItems": 3, "items": { "type": "object", "properties": {
                    "title": { "type": "string", "maxLength": 9, "description": "O `título`." },
                } } },
            },
        });
        let shown =
            draw_fields_table(&schema, &json!({ "cards": [{ "title": "<b>" }] })).into_string();
        assert!(shown.contains("<code>cards[].title</code>"));
        assert!(shown.contains("texto, até 9 caracteres"));
        assert!(shown.contains("O <code>título</code>."));
        assert!(shown.contains("&lt;b&gt;"));
    }
}
