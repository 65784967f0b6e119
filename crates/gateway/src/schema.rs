//! The published schema of an operation: closed objects, plain types, no references.
//!
//! The schema is generated from the types of the operation (`schemars`), and the validator of the
//! gateway is built from the schema. So the published contract is the enforced one: closed objects,
//! limits, patterns, formats, and `dependentRequired` for dates.

use schemars::{
    JsonSchema, Schema,
    generate::{Contract, SchemaSettings},
    transform::{Transform, transform_subschemas},
};
use serde_json::{Map, Value, json};

use super::spec::Spec;
use domain::{IDEMPOTENCY_KEY_PATTERN, NULLABLE};

/// The name of the idempotency key in the request body and in tool arguments.
pub(super) const KEY_FIELD: &str = "idempotency_key";

/// JSON Schema keyword at the root of an input for optional fields of which exactly one must be
/// sent. The operation checks this itself, so that its error names the fields; OpenAPI publishes
/// the keyword as `oneOf`.
pub const EXACTLY_ONE: &str = "x-exactly-one";

/// JSON Schema keyword for an object in a list that has the fields of another operation. Its value
/// is the name of that operation. A tool list that contains this operation describes the fields of
/// the object briefly. An object whose own description explains its fields names its own operation.
pub const DESCRIBED_BY: &str = "x-described-by";

/// Returns the input schema that the gateway enforces and every interface publishes.
pub(super) fn input_schema<T: JsonSchema>(spec: &Spec) -> Map<String, Value> {
    let mut schema = generate_schema::<T>(Contract::Deserialize);
    Close.transform(&mut schema);
    let mut root = into_object(schema);
    root.remove("description");
    root.entry("type").or_insert_with(|| "object".into());
    root.entry("additionalProperties")
        .or_insert(Value::Bool(false));
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    if let (true, Some(properties)) = (spec.keyed, properties.as_object_mut()) {
        properties.insert(
            KEY_FIELD.into(),
            json!({
                "type": "string",
                "pattern": IDEMPOTENCY_KEY_PATTERN,
                "description": "Chave que torna a repetição segura: repetir o mesmo pedido com \
                    a mesma chave devolve a mesma resposta, sem segundo efeito. Vale 24 horas.",
            }),
        );
    }
    root
}

/// Returns the output schema.
pub(super) fn output_schema<T: JsonSchema>() -> Map<String, Value> {
    let mut root = into_object(generate_schema::<T>(Contract::Serialize));
    root.entry("type").or_insert_with(|| "object".into());
    root
}

/// Returns the doc comment of the operation.
pub(super) fn operation_description<T: JsonSchema>() -> String {
    let mut root = into_object(generate_schema::<T>(Contract::Deserialize));
    match root.remove("description") {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

fn generate_schema<T: JsonSchema>(contract: Contract) -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    settings.contract = contract;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    Plain.transform(&mut schema);
    schema
}

fn into_object(schema: Schema) -> Map<String, Value> {
    match Value::from(schema) {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Removes the pattern that forbids NUL in text, for readers that do not need this rule.
pub fn remove_nul_rule(schema: &mut Value) {
    if let Value::Object(map) = schema {
        let pattern = map.get("pattern").and_then(Value::as_str);
        if pattern.is_some_and(|p| p.contains("u0000")) {
            map.remove("pattern");
        }
        map.values_mut().for_each(remove_nul_rule);
    }
}

/// Joins the wrapped lines of a doc comment; paragraphs stay separate.
fn unwrap_lines(text: &str) -> String {
    let paragraphs = text.split("\n\n");
    paragraphs
        .map(|p| p.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Schema transform: removes generated titles and integer formats that name Rust types, and joins
/// the lines of descriptions.
#[derive(Clone)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        schema.remove("title");
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = unwrap_lines(text);
        }
        let rust_format = |f: &str| f.starts_with("int") || f.starts_with("uint");
        if schema
            .get("format")
            .and_then(Value::as_str)
            .is_some_and(rust_format)
        {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}

/// Schema transform: closes objects, removes null from optional fields, and forbids NUL in text,
/// because PostgreSQL cannot store it.
#[derive(Clone)]
struct Close;

impl Transform for Close {
    fn transform(&mut self, schema: &mut Schema) {
        let nullable = schema.remove(NULLABLE).is_some();
        if let (false, Some(Value::Array(types))) = (nullable, schema.get_mut("type")) {
            types.retain(|t| t != "null");
            if let [single] = types.as_slice() {
                let single = single.clone();
                schema.insert("type".into(), single);
            }
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|v| !v.is_null());
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(Value::Array(branches)) = schema.get_mut(keyword) else {
                continue;
            };
            branches.retain(|b| b.get("type") != Some(&json!("null")));
            if let [Value::Object(single)] = branches.as_slice() {
                let single = single.clone();
                schema.remove(keyword);
                for (key, value) in single {
                    schema.ensure_object().entry(key).or_insert(value);
                }
            }
        }
        if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
            schema.insert("additionalProperties".into(), false.into());
        }
        let free_text = schema.get("type") == Some(&json!("string"))
            && ["enum", "const", "pattern", "format"]
                .iter()
                .all(|k| schema.get(*k).is_none());
        if free_text {
            schema.insert("pattern".into(), r"^[^\u0000]*$".into());
        }
        if schema.get("default") == Some(&Value::Null) {
            schema.remove("default");
        }
        transform_subschemas(self, schema);
    }
}
