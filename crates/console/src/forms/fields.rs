//! Reads the fields of a form.

use gateway::{
    Error, Input, Registered, Result, SMALL_INPUT, coerce, offload, parse_value, to_printable,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{KEY_FIELD, with_key};

/// One field.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Field {
    pub name: String,
    pub value: String,
}

/// Returns the value of the first field with this name. Empty if no field has the name.
pub(crate) fn field_value<'f>(fields: &'f [Field], name: &str) -> &'f str {
    let field = fields.iter().find(|field| field.name == name);
    field.map_or("", |field| &field.value)
}

/// Returns true if a field of a form or of an input contains a secret. No page shows a sent secret
/// again.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.trim_end_matches('!').trim_end_matches(":json");
    let words = ["senha", "password", "codigo"];
    name == "token" || name.ends_with("_token") || words.iter().any(|word| name.contains(word))
}

/// Returns the values of all fields.
pub(crate) fn field_texts(fields: &[Field]) -> impl Iterator<Item = &str> {
    fields.iter().map(|field| field.value.as_str())
}

/// Converts the CR LF line ends that browsers send to LF.
pub(crate) fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Returns the text with LF line ends. `None` if the text is blank.
pub(crate) fn nonblank_text(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| unix_lines(text))
}

/// Builds the input of the operation, with its idempotency key. Fields whose names begin with `_`
/// control the form and are not input fields. A field whose name ends with `[]` makes the list empty
/// unless other fields contain values of the list.
///
/// Fails with 400 if a field that is not a list is sent twice, or if the value of a `:json` field is not
/// JSON that the operation could accept in a JSON body.
pub(crate) async fn operation_input(fields: &[Field], operation: &Registered) -> Result<Input> {
    let mut input = Input::new();
    let schema = operation.input_schema();
    let mut values = operation.spec.values;
    let is_large = field_texts(fields).map(str::len).sum::<usize>() > SMALL_INPUT;
    for Field { name, value } in fields.iter().filter(|field| !field.name.starts_with('_')) {
        if let Some(name) = name.strip_suffix("[]") {
            let list = input.entry(name).or_insert_with(|| Value::Array(vec![]));
            if !list.is_array() {
                return Err(sent_twice_error(name));
            }
            continue;
        }
        let (name, is_sent_empty) = match name.strip_suffix('!') {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        if value.is_empty() && !is_sent_empty {
            continue;
        }
        if let Some(name) = name.strip_suffix(":json") {
            let (value, count) = parse_json(name, value, values, is_large).await?;
            values -= count;
            if input.insert(name.to_owned(), value).is_some() {
                return Err(sent_twice_error(name));
            }
            continue;
        }
        let value = coerce(schema, name, value.clone());
        let is_list = schema["properties"][name]["type"] == "array";
        match input.get_mut(name) {
            Some(Value::Array(values)) => values.push(value),
            Some(_) => {
                return Err(sent_twice_error(name));
            }
            None if is_list => {
                input.insert(name.to_owned(), Value::Array(vec![value]));
            }
            None => {
                input.insert(name.to_owned(), value);
            }
        }
    }
    let form_key = input.remove(KEY_FIELD);
    with_key(input, form_key.as_ref().and_then(Value::as_str)).await
}

fn sent_twice_error(name: &str) -> Error {
    Error::invalid_field(
        &to_printable(name),
        "unique",
        "foi informado mais de uma vez",
    )
}

/// Parses the JSON text of a field by the rules of a JSON body, and limits the number of nested values.
/// A large text is parsed on a blocking thread.
///
/// Fails with 400 if the text is not JSON, or has more than `most` values.
pub(crate) async fn parse_json(
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
