//! The schema of `{type, payload}`. Each type has its own payload; a general payload with all
//! fields serves clients that ignore `oneOf`.
//!
//! For a failed `oneOf` the gateway reports the field errors of the variant that the constant
//! `type` selects, so that REST and MCP name the same field.

use schemars::{Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use domain::project::ProjectOperation;
use gateway::DESCRIBED_BY;

/// The description of a payload field, the same for all types.
fn field_description(field: &str) -> &'static str {
    match field {
        "section_id" => "Id da seção; em `item.move`, a de destino (ausente, a mesma).",
        "item_id" => "Id do item.",
        "title" => "Título da seção ou do item, ou nome do projeto.",
        "notes" => "Notas do item, ou descrição do projeto; vazio apaga.",
        "assignee_member_ids" => {
            "Todos os responsáveis, em ordem; membros ativos, como em `list_team`; vazia, nenhum."
        }
        "due_on" => "Prazo (Brasília); ausente em `item.schedule`, apaga.",
        "event_id" => "Id do evento editorial.",
        "member_id" => "Id do membro; quem sai deixa também os itens abertos.",
        "position" => "Lugar na lista, a partir de 0; além do fim ou ausente, o fim.",
        "starts_on" => "Começo do projeto; ausente, apaga.",
        "ends_on" => "Fim do projeto; ausente, apaga.",
        _ => "",
    }
}

/// An operation type and the schema of its payload.
struct Branch {
    name: String,
    payload: Map<String, Value>,
}

impl Branch {
    fn requires_field(&self, field: &str) -> bool {
        let required = self.payload.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|name| name == field))
    }
}

/// All operation types, in order, derived from the types that the gateway deserializes.
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

/// The schema of the general payload, with the fields of all types.
fn payload_schema(branches: &[Branch]) -> Value {
    json!({
        "type": "object",
        "description": "Os campos do tipo, e só eles; `{}` quando não há nenhum.",
        "properties": merge_fields(branches),
    })
}

/// The schema of one operation in a list.
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

/// Adds to the root the general fields `type` and `payload`, beside the `oneOf` that distinguishes
/// the types.
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

/// Returns all payload fields without duplicates. The description of a field lists the types that
/// require it and the types that accept it.
fn merge_fields(branches: &[Branch]) -> Map<String, Value> {
    let mut all = Map::new();
    for branch in branches {
        let fields = branch.payload["properties"].as_object();
        for (field, schema) in fields.into_iter().flatten() {
            all.entry(field).or_insert_with(|| schema.clone());
        }
    }
    for (field, schema) in &mut all {
        let naming = |required: bool| {
            let takes = |b: &&Branch| {
                b.payload["properties"].get(field).is_some() && b.requires_field(field) == required
            };
            let names: Vec<String> = branches
                .iter()
                .filter(takes)
                .map(|b| b.name.clone())
                .collect();
            names.join(", ")
        };
        let mut text = field_description(field).to_owned();
        for (words, names) in [
            ("Obrigatório em", naming(true)),
            ("Opcional em", naming(false)),
        ] {
            if !names.is_empty() {
                text.push_str(&format!(" {words} `{names}`."));
            }
        }
        schema["description"] = text.into();
    }
    all
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
}
