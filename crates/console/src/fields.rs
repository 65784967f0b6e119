//! The fields of a form as the input of an operation.

use gateway::{
    Error, Input, Registered, Result, SMALL_INPUT, coerce, offload, parse_value, printable,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// One field.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Field {
    pub name: String,
    pub value: String,
}

/// The value of the first field of this name; empty if there is none.
pub(crate) fn value<'f>(fields: &'f [Field], name: &str) -> &'f str {
    let found = fields.iter().find(|field| field.name == name);
    found.map_or("", |field| &field.value)
}

/// The values of all fields.
pub(crate) fn values(fields: &[Field]) -> impl Iterator<Item = &str> {
    fields.iter().map(|field| field.value.as_str())
}

/// The input of the operation. Fields of the form itself begin with `_`.
///
/// Refused (400) when a field that is no list is given twice, or one that ends with `:json` is no JSON that
/// the operation could take in a JSON body.
pub(crate) async fn input(fields: &[Field], operation: &Registered) -> Result<Input> {
    let mut input = Input::new();
    let schema = operation.input_schema();
    let mut values = operation.spec.values;
    let is_large = self::values(fields).map(str::len).sum::<usize>() > SMALL_INPUT;
    for Field { name, value } in fields.iter().filter(|field| !field.name.starts_with('_')) {
        let (name, kept) = match name.strip_suffix('!') {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        if value.is_empty() && !kept {
            continue;
        }
        if let Some(name) = name.strip_suffix(":json") {
            let (value, count) = json(name, value, values, is_large).await?;
            values -= count;
            if input.insert(name.to_owned(), value).is_some() {
                return Err(twice(name));
            }
            continue;
        }
        let value = coerce(schema, name, value.clone());
        let is_list = schema["properties"][name]["type"] == "array";
        match input.get_mut(name) {
            Some(Value::Array(values)) => values.push(value),
            Some(_) => {
                return Err(twice(name));
            }
            None if is_list => {
                input.insert(name.to_owned(), Value::Array(vec![value]));
            }
            None => {
                input.insert(name.to_owned(), value);
            }
        }
    }
    Ok(input)
}

fn twice(name: &str) -> Error {
    Error::invalid(&printable(name), "unique", "foi informado mais de uma vez")
}

/// The value of a field that holds a JSON text, by the rules of a JSON body, and the number of its values.
/// The text of a large form is parsed on a thread of its own.
///
/// Refused (400) when it is no JSON, or has more than `most` values.
pub(crate) async fn json(
    name: &str,
    text: &str,
    most: usize,
    is_large: bool,
) -> Result<(Value, usize)> {
    if !is_large {
        return parse_value(name, text, most);
    }
    let (name, text) = (name.to_owned(), text.to_owned());
    offload(move || parse_value(&name, &text, most)).await?
}
