//! The schema of `{type, payload}`. Each type has its own payload; a general payload with all
//! fields serves clients that ignore `oneOf`.
//!
//! For a failed `oneOf` the gateway reports the field errors of the variant that the constant
//! `type` selects, so that REST and MCP name the same field.

use schemars::{Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use domain::project::ProjectOperation;
use gateway::DESCRIBED_BY;

/// Returns the description of a payload field. It is the same for all operation types.
fn field_description(field: &str) -> &'static str {
    match field {
        "section_id" => "Id da seção; em `item.move`, a de destino.",
        "item_id" => "Id do item.",
        "title" => "Título, ou nome do projeto.",
        "notes" => "Notas ou descrição; vazio apaga.",
        "assignee_member_ids" => "Responsáveis, `id` de `list_team`; vazia, nenhum.",
        "due_on" => "Dia de Brasília; ausente, apaga.",
        "event_id" => "Id do evento.",
        "member_id" => "Id do membro; quem sai deixa os itens abertos.",
        "position" => "Lugar, desde 0; ausente, o fim.",
        "starts_on" => "Ausente, apaga.",
        "ends_on" => "Ausente, apaga.",
        _ => "",
    }
}

/// Returns the description of a field of the general payload, which agents read in every conversation.
/// `None` if it is the same as in the payload of a type.
fn short_description(field: &str) -> Option<&'static str> {
    Some(match field {
        "section_id" => "Em `item.move`, a de destino.",
        "notes" => "Vazio apaga.",
        "assignee_member_ids" => "`id` de `list_team`; vazia, nenhum.",
        "member_id" => "Quem sai deixa os itens abertos.",
        "position" => "Desde 0; ausente, o fim.",
        _ => return None,
    })
}

/// An operation type and the schema of its payload.
struct Branch {
    name: String,
    payload: Map<String, Value>,
}

impl Branch {
    /// Returns the kind of object that the operation changes, such as `item` for `item.add`.
    fn kind(&self) -> &str {
        self.name.split_once('.').map_or("", |(kind, _)| kind)
    }

    /// Returns what the operation does, such as `add` for `item.add`.
    fn verb(&self) -> &str {
        self.name.split_once('.').map_or("", |(_, verb)| verb)
    }

    /// Lists the fields of the payload, the required ones first.
    fn signature(&self) -> String {
        let fields = self.payload.get("properties").and_then(Value::as_object);
        let names = fields.into_iter().flat_map(Map::keys);
        let (required, optional): (Vec<_>, Vec<_>) =
            names.partition(|field| self.requires_field(field));
        let optional = optional.into_iter().map(|field| format!("{field}?"));
        let all: Vec<String> = required.into_iter().cloned().chain(optional).collect();
        all.join(", ")
    }

    fn requires_field(&self, field: &str) -> bool {
        let required = self.payload.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|name| name == field))
    }
}

/// Returns all operation types in order, derived from the Rust types that the gateway deserializes.
fn operation_branches() -> Vec<Branch> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let whole = settings
        .into_generator()
        .into_root_schema_for::<ProjectOperation>();
    let alternatives = whole.get("oneOf").and_then(Value::as_array).cloned();
    let branch = |alternative: Value| {
        let mut payload = alternative["properties"]["payload"].as_object()?.clone();
        payload.remove("description");
        let fields = payload.entry("properties").or_insert_with(|| json!({}));
        for (field, schema) in fields.as_object_mut()? {
            schema["description"] = field_description(field).into();
        }
        let name = alternative["properties"]["type"]["const"]
            .as_str()?
            .to_owned();
        Some(Branch { name, payload })
    };
    alternatives
        .into_iter()
        .flatten()
        .filter_map(branch)
        .collect()
}

fn branch_schema(Branch { name, payload }: &Branch) -> Value {
    json!({
        "title": name,
        "type": "object",
        "properties": {
            "type": { "type": "string", "const": name, "description": "O tipo da operação." },
            "payload": payload,
        },
        "required": ["type", "payload"],
        // The root schema checks the other fields.
        "additionalProperties": true,
    })
}

fn type_schema(branches: &[Branch]) -> Value {
    let names: Vec<&str> = branches.iter().map(|branch| &*branch.name).collect();
    json!({ "type": "string", "enum": names, "description": "O tipo da operação." })
}

/// Returns the schema of the general payload, with the fields of all operation types.
fn payload_schema(branches: &[Branch]) -> Value {
    json!({
        "type": "object",
        "description": format!("Só os campos do tipo; sem campos, `{{}}`. {}.", list_fields_of_types(branches)),
        "properties": merge_fields(branches),
    })
}

/// Returns the schema of one operation in a list.
pub(super) fn operation_schema() -> Value {
    let branches = operation_branches();
    json!({
        "type": "object",
        "properties": { "type": type_schema(&branches), "payload": payload_schema(&branches) },
        "required": ["type", "payload"],
        "oneOf": branches.iter().map(branch_schema).collect::<Vec<_>>(),
        DESCRIBED_BY: "apply_project_operation",
    })
}

/// Adds the general fields `type` and `payload` to the root of the schema, and the `oneOf` that
/// distinguishes the types.
pub(super) fn add_general_fields(schema: &mut Schema) {
    let branches = operation_branches();
    let (kind, payload) = (type_schema(&branches), payload_schema(&branches));
    let alternatives: Vec<Value> = branches.iter().map(branch_schema).collect();
    schema.insert("oneOf".into(), alternatives.into());
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(properties) = properties {
        properties.insert("type".into(), kind);
        properties.insert("payload".into(), payload);
    }
    let required = schema.get_mut("required").and_then(Value::as_array_mut);
    if let Some(required) = required {
        required.extend([json!("type"), json!("payload")]);
    }
}

/// Returns all payload fields without duplicates.
fn merge_fields(branches: &[Branch]) -> Map<String, Value> {
    let mut all = Map::new();
    for branch in branches {
        let fields = branch.payload["properties"].as_object();
        for (field, schema) in fields.into_iter().flatten() {
            all.entry(field).or_insert_with(|| schema.clone());
        }
    }
    for (field, schema) in &mut all {
        if let (Some(text), Value::Object(schema)) = (short_description(field), schema) {
            schema.insert("description".into(), text.into());
        }
    }
    // The names of these fields already describe the content.
    for field in ["item_id", "event_id", "title"] {
        if let Some(Value::Object(schema)) = all.get_mut(field) {
            schema.remove("description");
        }
    }
    all
}

/// Lists the fields of every type, such as `item: complete|reopen(item_id)`. A `?` marks an optional
/// field.
fn list_fields_of_types(branches: &[Branch]) -> String {
    let kinds = branches.chunk_by(|one, next| one.kind() == next.kind());
    let texts = kinds.map(|of_kind| {
        let alike = of_kind.chunk_by(|one, next| one.signature() == next.signature());
        let verbs = alike.filter_map(|same| {
            let names: Vec<&str> = same.iter().map(Branch::verb).collect();
            Some(format!(
                "{}({})",
                names.join("|"),
                same.first()?.signature()
            ))
        });
        let kind = of_kind.first().map_or("", Branch::kind);
        format!("{kind}: {}", verbs.collect::<Vec<_>>().join(" "))
    });
    texts.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_can_be_requested_is_published_with_its_fields() {
        let branches = operation_branches();
        assert_eq!(branches.len(), 21);
        assert!(
            branches
                .iter()
                .all(|branch| branch.name != "project.create")
        );
        for branch in &branches {
            for (field, schema) in branch.payload["properties"].as_object().expect("fields") {
                assert_ne!(schema["description"], "", "{}: {field}", branch.name);
            }
        }
    }

    #[test]
    fn the_description_of_the_payload_lists_the_fields_of_each_type() {
        let text = list_fields_of_types(&operation_branches());
        for part in [
            "section: add(title, position?) rename(section_id, title)",
            "complete|reopen|remove(item_id)",
            "link_event|unlink_event(event_id, item_id)",
            "schedule(ends_on?, starts_on?) archive|restore()",
            "member: add|remove(member_id)",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
