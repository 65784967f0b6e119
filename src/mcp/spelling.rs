//! Corrects field names. Paths and bodies spell them differently (`eventId`, `event_id`), and areas
//! differ in language (`projectId`, `projetoId`). A call with another spelling works, and the agent
//! gets a hint with the right name.

use gateway::{Error, Input, intended_field};
use rmcp::model::ContentBlock;
use serde_json::{Map, Value};

/// Returns the name under which tools publish a field. Tools name each concept alike, in snake case;
/// REST keeps the names of its paths. No tool has two fields with one published name.
fn published_name(field: &str) -> String {
    if matches!(field, "projetoId" | "projeto_id") {
        return "project_id".to_owned();
    }
    let mut name = String::with_capacity(field.len() + 1);
    for c in field.chars() {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// A field of an operation that its tool publishes under another name.
pub(super) struct RenamedField {
    field: String,
    published: String,
}

/// Returns the fields of an operation's schema that its tool publishes under another name.
pub(super) fn renamed_fields(schema: &Map<String, Value>) -> Vec<RenamedField> {
    let fields = schema.get("properties").and_then(Value::as_object);
    let fields = fields.into_iter().flat_map(Map::keys);
    let named = fields.map(|field| RenamedField {
        field: field.clone(),
        published: published_name(field),
    });
    named.filter(|one| one.field != one.published).collect()
}

/// Renames the fields of a tool's schema to their published names.
pub(super) fn publish_names(schema: &mut Map<String, Value>) {
    for RenamedField { field, published } in renamed_fields(schema) {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        if let Some(properties) = properties
            && let Some(property) = properties.remove(&field)
        {
            properties.insert(published.clone(), property);
        }
        let required = schema.get_mut("required").and_then(Value::as_array_mut);
        for name in required.into_iter().flatten() {
            if name.as_str() == Some(&field) {
                *name = published.as_str().into();
            }
        }
    }
}

/// Renames the arguments of a tool call from the names that the tool publishes (`event_id`) to the
/// operation's field names (`eventId`), which are also accepted.
///
/// Fails with 400 if the client sent a field under both names.
pub(super) fn accept_published_names(
    fields: &[RenamedField],
    arguments: &mut Input,
) -> Result<(), Error> {
    for RenamedField { field, published } in fields {
        let Some(value) = arguments.remove(published) else {
            continue;
        };
        if arguments.insert(field.clone(), value).is_some() {
            let message = "veio também com o nome que tem em REST; informe só um";
            return Err(Error::invalid_field(
                published,
                "additionalProperties",
                message,
            ));
        }
    }
    Ok(())
}

/// Replaces the operation's field names with the published names in the message of an error.
pub(super) fn use_published_names(fields: &[RenamedField], error: Error) -> Error {
    let message = fields
        .iter()
        .fold(error.message().to_owned(), |message, one| {
            message.replace(&format!("`{}`", one.field), &format!("`{}`", one.published))
        });
    match message == error.message() {
        true => error,
        false => error.because(message),
    }
}

/// A field that the client sent under another name.
pub(super) struct Renamed {
    sent: String,
    field: String,
}

/// Renames misspelt fields to the fields of the tool.
///
/// Fails (400) if the client also sent the right field, because the values could differ.
pub(super) fn correct_names(
    schema: &Map<String, Value>,
    arguments: &mut Input,
) -> Result<Vec<Renamed>, Error> {
    let fields = schema.get("properties").and_then(Value::as_object);
    let is_field = |name: &str| fields.is_some_and(|fields| fields.contains_key(name));
    let unknown = arguments.keys().filter(|name| !is_field(name));
    let renamed: Vec<Renamed> = unknown
        .filter_map(|name| {
            let field = intended_field(schema, name)?.to_owned();
            let sent = name.clone();
            Some(Renamed { sent, field })
        })
        .collect();
    for Renamed { sent, field } in &renamed {
        if arguments.contains_key(field) {
            let message = format!("veio com dois nomes; informe só `{field}`");
            return Err(Error::invalid_field(sent, "additionalProperties", &message));
        }
        if let Some(value) = arguments.remove(sent) {
            let property = schema
                .get("properties")
                .and_then(|fields| fields.get(field));
            let is_list = property.is_some_and(|property| property["type"] == "array");
            let value = match value {
                // The client sent one value for a field that takes a list.
                Value::String(_) if is_list => Value::Array(vec![value]),
                value => value,
            };
            arguments.insert(field.clone(), value);
        }
    }
    Ok(renamed)
}

/// Returns a hint with the right names; `None` if no field was renamed.
pub(super) fn renaming_hint(renamed: &[Renamed]) -> Option<ContentBlock> {
    let pairs: Vec<String> = renamed
        .iter()
        .map(|Renamed { sent, field }| format!("`{}`, não `{sent}`", published_name(field)))
        .collect();
    let names = pairs.join("; ");
    (!pairs.is_empty()).then(|| ContentBlock::text(format!("Nesta ferramenta o nome é {names}.")))
}
