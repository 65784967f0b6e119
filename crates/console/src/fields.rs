//! The fields of a form as the input of an operation.

use gateway::{Error, Input, Registered, Result, coerce};
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

/// The input of the operation. Fields of the form itself begin with `_`.
///
/// Refused (400) when a field that is no list is given twice, or one that ends with `:json` is no JSON.
pub(crate) fn input(fields: &[Field], operation: &Registered) -> Result<Input> {
    let mut input = Input::new();
    let schema = operation.input_schema();
    for Field { name, value } in fields.iter().filter(|field| !field.name.starts_with('_')) {
        let (name, kept) = match name.strip_suffix('!') {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        if value.is_empty() && !kept {
            continue;
        }
        if let Some(name) = name.strip_suffix(":json") {
            let value = serde_json::from_str(value)
                .map_err(|_| Error::invalid(name, "type", "deve ser um JSON"))?;
            input.insert(name.to_owned(), value);
            continue;
        }
        let value = coerce(schema, name, value.clone());
        let is_list = schema["properties"][name]["type"] == "array";
        match input.get_mut(name) {
            Some(Value::Array(values)) => values.push(value),
            Some(_) => {
                return Err(Error::invalid(
                    name,
                    "unique",
                    "foi informado mais de uma vez",
                ));
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
