//! Calls every tool with its example, and with the invalid inputs that follow from its schema.

use std::collections::BTreeMap;

use domain::{EventId, time::SECOND};
use gateway::{Registered, Verb};
use pauta::artifacts::Example;
use serde_json::{Map, Value, json};

use super::{
    story::{Side, Step},
    telling::{output_validators, run_step},
};
use crate::{
    contract::examples::{Helena, call_by_rest, start_stage},
    support::{TestApp, examples::example_input},
};

#[tokio::test]
async fn every_tool_answers_and_refuses_its_example_alike_on_both_interfaces() {
    let (rest, helena) = start_stage().await;
    let (mcp, twin) = start_stage().await;
    let (mut by_rest, mut by_mcp) = (new_side(rest, &helena), new_side(mcp, &twin));
    let outputs = output_validators(&by_rest.client).await;
    let table = by_rest.app.app.gateway.clone();
    // The examples run in the order of the table, so that no example changes what a later one
    // needs.
    for (number, operation) in table.registry.operations.iter().enumerate() {
        if operation.spec.tool {
            let step = example_step(operation);
            run_step(number, &step, (&mut by_rest, &mut by_mcp), &outputs).await;
            continue;
        }
        for (side, caller) in [(&by_rest, &helena), (&by_mcp, &twin)] {
            let example = Example {
                input: example_input(operation.spec.name),
                answer: Value::Null,
            };
            let client = caller.client_for(&side.app, operation).await;
            let answer = call_by_rest(&client, operation, &example).await;
            answer.expect(operation.spec.success);
            side.app.advance_clock(SECOND);
        }
    }
}

fn new_side(app: TestApp, caller: &Helena) -> Side {
    Side {
        app,
        client: caller.token.clone(),
        names: vec![],
        kept: BTreeMap::new(),
    }
}

/// Returns the step of an example, with the refusals that follow from the schema.
fn example_step(operation: &Registered) -> Step {
    let spec = &operation.spec;
    let input = example_input(spec.name);
    let properties = operation.input_schema()["properties"].as_object();
    let properties = properties.expect("properties");
    let is_id = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        text.len() == 36 && EventId::from(text).as_str() == text
    };
    let placeholder = spec.placeholders().next();
    let is_named = |name: &&str| !is_id(&input[*name]);
    let revision = properties
        .iter()
        .find(|(field, _)| field.starts_with("expected_"));
    Step {
        id: placeholder
            .filter(|name| !is_named(name))
            .or_else(|| properties.contains_key("event_id").then_some("event_id")),
        // A PUT may create the resource, so its name need not exist.
        name: placeholder
            .filter(is_named)
            .map(|name| (name, spec.verb != Verb::Put)),
        stale: revision.map(|(field, schema)| {
            let stale = match schema["type"].as_str() {
                Some("integer") => json!(9_999),
                _ => json!("2026-08-22T15:00:00.0001Z"),
            };
            (&*field.clone().leak(), stale)
        }),
        other: spec.keyed.then(|| another_value(operation, &input)),
        ..Step::for_tool(spec.name, move |_| Value::Object(input.clone()))
    }
}

fn is_day(text: &str) -> bool {
    text.len() == 10 && serde_json::from_value::<domain::time::LocalDay>(text.into()).is_ok()
}

/// Returns a field of the input, and another valid value for it.
fn another_value(operation: &Registered, input: &Map<String, Value>) -> (&'static str, Value) {
    let schema = Value::Object(operation.input_schema().clone());
    let schema = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema");
    for (field, value) in input {
        let other = match value {
            Value::String(day) if is_day(day) => json!(format!("{}28", &day[..8])),
            Value::String(text) => json!(format!("{text}x")),
            Value::Number(number) => json!(number.as_i64().unwrap_or_default() + 1),
            // The list without its first item, if the schema allows a list of that length.
            Value::Array(items) => items.get(1..).unwrap_or_default().into(),
            _ => continue,
        };
        let mut changed = input.clone();
        changed.insert(field.clone(), other.clone());
        if schema.is_valid(&Value::Object(changed)) {
            return (field.clone().leak(), other);
        }
    }
    panic!(
        "{}: no field of the example has another valid value",
        operation.spec.name
    );
}
