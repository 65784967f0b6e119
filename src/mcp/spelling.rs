//! Corrects field names. Paths and bodies spell them differently (`eventId`, `event_id`), and areas
//! differ in language (`projectId`, `projetoId`). A call with another spelling works, and the agent
//! gets a hint with the right name.

use gateway::{Error, Input, intended_field};
use rmcp::model::ContentBlock;
use serde_json::{Map, Value};

/// Fields in camel case, each with the snake-case name that other tools use for the same concept.
/// Tools publish the snake-case name, and REST keeps the other. No tool has two fields with one
/// published name.
const PUBLISHED: &[(&str, &str)] = &[
    ("eventId", "event_id"),
    ("mediaIds", "media_ids"),
    ("projectId", "project_id"),
    ("projetoId", "project_id"),
    ("projeto_id", "project_id"),
    ("remarkId", "remark_id"),
    ("templateId", "template_id"),
    ("uploadId", "upload_id"),
    ("webhookId", "webhook_id"),
];

/// Renames the fields of a tool's schema to their published names.
pub(super) fn publish_names(schema: &mut Map<String, Value>) {
    for (field, published) in PUBLISHED {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        let Some(properties) = properties else {
            return;
        };
        let Some(property) = properties.remove(*field) else {
            continue;
        };
        properties.insert((*published).into(), property);
        let required = schema.get_mut("required").and_then(Value::as_array_mut);
        for name in required.into_iter().flatten() {
            if name.as_str() == Some(*field) {
                *name = (*published).into();
            }
        }
    }
}

/// Renames the arguments of a tool call from the names that the tool publishes (`event_id`) to the
/// operation's field names (`eventId`), which are also accepted.
///
/// Fails with 400 if the client sent a field under both names.
pub(super) fn accept_published_names(
    schema: &Map<String, Value>,
    arguments: &mut Input,
) -> Result<(), Error> {
    let fields = schema.get("properties").and_then(Value::as_object);
    for (field, published) in PUBLISHED {
        if !fields.is_some_and(|fields| fields.contains_key(*field)) {
            continue;
        }
        let Some(value) = arguments.remove(*published) else {
            continue;
        };
        if arguments.insert((*field).into(), value).is_some() {
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
pub(super) fn use_published_names(error: Error) -> Error {
    let names = PUBLISHED
        .iter()
        .map(|(field, published)| (format!("`{field}`"), published));
    let message = names.fold(error.message().to_owned(), |message, (field, published)| {
        message.replace(&field, &format!("`{published}`"))
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

/// A hint with the right names; `None` if no field was renamed.
pub(super) fn renaming_hint(renamed: &[Renamed]) -> Option<ContentBlock> {
    let pairs: Vec<String> = renamed
        .iter()
        .map(|Renamed { sent, field }| {
            let published = PUBLISHED.iter().find(|(name, _)| name == field);
            let field = published.map_or(field.as_str(), |(_, published)| *published);
            format!("`{field}`, não `{sent}`")
        })
        .collect();
    let names = pairs.join("; ");
    (!pairs.is_empty()).then(|| ContentBlock::text(format!("Nesta ferramenta o nome é {names}.")))
}
