//! Draws a form from the schema of an operation.

use maud::{Markup, html};
use serde_json::Value;

use crate::forms::{Field, is_secret};

/// The maximum length of a text with a one-line input.
const LINE: u64 = 300;
/// The number of empty inputs that the form adds after the filled inputs of a list of texts.
const MORE: usize = 2;

/// The kind of HTML input for a field of the schema.
enum Control<'s> {
    Secret,
    Choice(&'s [Value]),
    Choices(&'s [Value]),
    YesNo,
    Integer,
    Number,
    Date,
    Line,
    Text,
    Lines,
    Json,
}

impl<'s> Control<'s> {
    fn for_schema(name: &str, schema: &'s Value) -> Self {
        let values = |schema: &'s Value| schema["enum"].as_array().map(Vec::as_slice);
        match schema["type"].as_str() {
            Some("string") if is_secret(name) => Self::Secret,
            Some("string") => match (values(schema), schema["format"].as_str()) {
                (Some(values), _) => Self::Choice(values),
                (None, Some("date")) => Self::Date,
                (None, Some(_)) => Self::Line,
                (None, None) if is_single_line(name, schema) => Self::Line,
                (None, None) => Self::Text,
            },
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::YesNo,
            Some("array") if schema["items"]["type"] == "string" => {
                match values(&schema["items"]) {
                    Some(values) => Self::Choices(values),
                    None => Self::Lines,
                }
            }
            // The schema of a nullable text has a list as its `type`.
            None if schema["type"].is_array() && is_secret(name) => Self::Secret,
            None if schema["type"].is_array() => Self::Line,
            _ => Self::Json,
        }
    }

    /// Returns the name of the form field for this input field of the operation.
    fn form_field_name(&self, name: &str) -> String {
        match self {
            Self::Number | Self::Json => format!("{name}:json"),
            _ => name.to_owned(),
        }
    }
}

fn is_single_line(name: &str, schema: &Value) -> bool {
    let is_id = name.ends_with("id") || name.ends_with("Id");
    is_id
        || schema
            .get("pattern")
            .is_some_and(|rule| !rule.as_str().is_some_and(|r| r.contains("u0000")))
        || schema["maxLength"]
            .as_u64()
            .is_some_and(|longest| longest <= LINE)
}

/// Converts an example input to form fields.
pub(super) fn example_fields(schema: &Value, example: &Value) -> Vec<Field> {
    let mut fields = vec![];
    for (name, value) in example.as_object().into_iter().flatten() {
        let control = Control::for_schema(name, &schema["properties"][name]);
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut add = |value: String| {
            fields.push(Field {
                name: control.form_field_name(name),
                value,
            });
        };
        match (&control, value) {
            (Control::Json, value) => {
                add(serde_json::to_string_pretty(value).unwrap_or_default());
            }
            (Control::Secret, _) => {}
            (_, Value::Array(values)) => values.iter().map(text).for_each(add),
            (_, value) => add(text(value)),
        }
    }
    fields
}

/// Draws the inputs for all fields of the schema, filled with these values.
pub(super) fn draw_controls(schema: &Value, filled: &[Field]) -> Markup {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|n| n == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut properties: Vec<_> = properties
        .filter(|(name, _)| *name != "idempotency_key")
        .collect();
    properties.sort_by_key(|(name, _)| !is_required(name));
    html! {
        @if properties.is_empty() { p class="soft" { "Não leva entrada." } }
        @for (name, schema) in properties {
            (draw_control(name, schema, is_required(name), filled))
        }
    }
}

fn draw_control(name: &str, schema: &Value, required: bool, filled: &[Field]) -> Markup {
    let control = Control::for_schema(name, schema);
    let field = control.form_field_name(name);
    let values: Vec<&str> = filled
        .iter()
        .filter(|g| g.name == field)
        .map(|g| &*g.value)
        .collect();
    let first = values.first().copied().unwrap_or_default();
    let label = html! {
        code { (name) }
        @if required { " " small { "obrigatório" } }
    };
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    match control {
        Control::Choices(choices) => html! {
            fieldset {
                legend { (label) }
                div class="row" {
                    @for choice in choices.iter().map(text) {
                        label class="choice" {
                            input type="checkbox" name=(field) value=(choice) checked[values.contains(&&*choice)];
                            (choice)
                        }
                    }
                }
            }
        },
        Control::Lines => html! {
            fieldset class="lines" {
                legend { (label) }
                @for (at, value) in values.iter().copied().chain(std::iter::repeat_n("", MORE)).enumerate() {
                    input name=(field) value=(value) dir="auto" aria-label={ (name) ", linha " (at + 1) };
                }
            }
        },
        _ => html! {
            label class="field" {
                span { (label) }
                @match control {
                    Control::Choice(choices) => (draw_select(&field, &choices.iter().map(text).map(|c| (c.clone(), c)).collect::<Vec<_>>(), first)),
                    Control::YesNo => (draw_select(&field, &[("true".into(), "sim".into()), ("false".into(), "não".into())], first)),
                    Control::Integer => input type="number" step="1" name=(field) value=(first)
                        min=[schema["minimum"].as_i64()] max=[schema["maximum"].as_i64()];,
                    Control::Number => input type="number" step="any" name=(field) value=(first);,
                    Control::Date => input type="date" name=(field) value=(first);,
                    Control::Secret => input type="password" name=(field) autocomplete="off";,
                    Control::Text => textarea name=(field) rows="3" dir="auto" { (first) },
                    Control::Json => textarea name=(field) rows="6" class="mono" spellcheck="false" { (first) },
                    _ => input name=(field) value=(first) dir="auto" autocomplete="off";,
                }
                @if matches!(control, Control::Json) { small { "em JSON" } }
            }
        },
    }
}

fn draw_select(name: &str, choices: &[(String, String)], chosen: &str) -> Markup {
    html! {
        select name=(name) {
            option value="" { "—" }
            @for (value, words) in choices {
                option value=(value) selected[value == chosen] { (words) }
            }
        }
    }
}
