//! Corrects field names. Paths and bodies spell them differently (`eventId`, `event_id`), and areas
//! differ in language (`projectId`, `projetoId`). A call with another spelling works, and the agent
//! gets a hint with the right name.

use gateway::{Error, Input, intended_field};
use rmcp::model::ContentBlock;
use serde_json::{Map, Value};

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
            let message = format!("é o mesmo que `{field}`; informe só `{field}`");
            return Err(Error::invalid_field(sent, "additionalProperties", &message));
        }
        if let Some(value) = arguments.remove(sent) {
            arguments.insert(field.clone(), value);
        }
    }
    Ok(renamed)
}

/// A hint with the right names; `None` if no field was renamed.
pub(super) fn renaming_hint(renamed: &[Renamed]) -> Option<ContentBlock> {
    let pairs: Vec<String> = renamed
        .iter()
        .map(|Renamed { sent, field }| format!("`{field}`, não `{sent}`"))
        .collect();
    let names = pairs.join("; ");
    (!pairs.is_empty()).then(|| ContentBlock::text(format!("Nesta ferramenta o nome é {names}.")))
}
