//! The example input of each operation, from `ai-artifacts/examples/<operation>.json`.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use gateway::Entry;
use serde_json::{Map, Value, json};
use tools::operations;

/// The folder of the example inputs.
pub const FOLDER: &str = "ai-artifacts/examples";

/// The example inputs by operation.
pub static INPUTS: LazyLock<BTreeMap<String, Map<String, Value>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let files = std::fs::read_dir(folder).expect("the folder of examples");
    let input = |file: std::io::Result<std::fs::DirEntry>| {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let input = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{} is no JSON object: {error}", path.display()));
        let name = path.file_stem().expect("a name").to_str().expect("text");
        (name.to_owned(), input)
    };
    files.map(input).collect()
});

/// The example input of an operation. If it is missing, the test fails with instructions to write
/// it.
#[track_caller]
pub fn example_input(name: &str) -> Map<String, Value> {
    let entry = operations().find(|entry| entry.spec.name == name);
    let entry = entry.unwrap_or_else(|| panic!("there is no operation {name}"));
    let input = INPUTS.get(name).cloned();
    input.unwrap_or_else(|| panic!("{}", writing_instructions(entry)))
}

/// The required fields of the example input.
#[track_caller]
pub fn required_input(name: &str) -> Map<String, Value> {
    let mut input = example_input(name);
    let entry = operations().find(|entry| entry.spec.name == name);
    let schema = Value::Object(entry.expect("an operation").input_schema());
    let required = required_fields(&schema);
    input.retain(|field, _| required.contains(&field.as_str()));
    input
}

/// Instructions for an operation without an example.
pub fn writing_instructions(entry: &Entry) -> String {
    let name = entry.spec.name;
    let schema = Value::Object(entry.input_schema());
    let required = required_fields(&schema);
    let fields = schema["properties"].as_object().expect("properties");
    let (must, may): (Vec<_>, Vec<_>) = fields
        .iter()
        .filter(|(field, _)| *field != "idempotency_key")
        .partition(|(field, _)| required.contains(&field.as_str()));
    let skeleton: Map<String, Value> = must
        .into_iter()
        .map(|(field, schema)| (field.clone(), placeholder_value(schema)))
        .collect();
    let skeleton = serde_json::to_string_pretty(&skeleton).expect("JSON");
    let may: Vec<&str> = may.iter().map(|(field, _)| field.as_str()).collect();
    format!(
        "`{name}` has no example. Write {FOLDER}/{name}.json with one input that succeeds, over \
         the resources of src/cli/demo/examples.rs. What it must hold:\n{skeleton}\n\
         What it may hold: {may:?}.\nThen record its answer: {RECORD}"
    )
}

/// The command that records the responses to the examples.
pub const RECORD: &str =
    "PAUTA_TEST_RECORD_EXAMPLES=1 cargo test --test suite -- contract::examples";

fn required_fields(schema: &Value) -> Vec<&str> {
    let required = schema["required"].as_array().into_iter().flatten();
    required.filter_map(Value::as_str).collect()
}

/// A placeholder of the field's type.
fn placeholder_value(schema: &Value) -> Value {
    let kind = match &schema["type"] {
        Value::Array(kinds) => &kinds[0],
        kind => kind,
    };
    match kind.as_str() {
        Some("integer" | "number") => schema["minimum"].as_i64().unwrap_or(1).into(),
        Some("boolean") => true.into(),
        Some("array") => json!([placeholder_value(&schema["items"])]),
        Some("object") => json!({}),
        _ => schema["enum"][0].as_str().unwrap_or("…").into(),
    }
}
