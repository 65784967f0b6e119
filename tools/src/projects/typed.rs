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
        "due_on" => "Dia (Brasília); ausente, apaga.",
        "event_id" => "Id do evento.",
        "member_id" => "Id do membro; quem sai deixa os itens abertos.",
        "position" => "Lugar, desde 0; ausente, o fim.",
        "starts_on" => "Ausente, apaga.",
        "ends_on" => "Ausente, apaga.",
        _ => "",
    }
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
        "description": "Os campos do tipo, e só eles; se nenhum, `{}`.",
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
            name_types(branches, |b: &Branch| {
                b.payload["properties"].get(field).is_some() && b.requires_field(field) == required
            })
        };
        let (required, optional) = (naming(true), naming(false));
        let use_of_field = match (required.is_empty(), optional.is_empty()) {
            (false, false) => format!("Em {required}; opcional em {optional}."),
            (false, true) => format!("Em {required}."),
            _ => format!("Opcional em {optional}."),
        };
        // The names `item_id` and `event_id` already describe the content.
        let text = match field.as_str() {
            "item_id" | "event_id" => use_of_field,
            _ => format!("{} {use_of_field}", field_description(field)),
        };
        schema["description"] = text.into();
    }
    all
}

/// Lists the matching types. If all types of a kind match, the list contains `item.*`; if all but
/// one match, it contains `item.*` and names the exception.
fn name_types(branches: &[Branch], matches: impl Fn(&Branch) -> bool) -> String {
    let mut kinds: Vec<&str> = branches.iter().map(Branch::kind).collect();
    kinds.dedup();
    let names = kinds.into_iter().flat_map(|kind| {
        let of_kind = branches.iter().filter(|branch| branch.kind() == kind);
        let (chosen, left): (Vec<_>, Vec<_>) = of_kind.partition(|branch| matches(branch));
        match (chosen.as_slice(), left.as_slice()) {
            ([_, _, ..], []) => vec![format!("`{kind}.*`")],
            ([_, _, _, ..], [left]) => vec![format!("`{kind}.*` (menos `{}`)", left.name)],
            (chosen, _) => chosen.iter().map(|b| format!("`{}`", b.name)).collect(),
        }
    });
    names.collect::<Vec<_>>().join(", ")
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
    fn the_description_of_a_field_names_its_types() {
        let fields = merge_fields(&operation_branches());
        for (field, types) in [
            ("item_id", "Em `item.*` (menos `item.add`)."),
            (
                "section_id",
                "Em `section.*` (menos `section.add`), `item.add`; opcional em `item.move`.",
            ),
            ("member_id", "Em `member.*`."),
            ("starts_on", "Opcional em `project.schedule`."),
        ] {
            let text = fields[field]["description"].as_str().expect("text");
            assert!(text.ends_with(types), "{field}: {text}");
        }
    }
}
