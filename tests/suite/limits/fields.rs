//! Types, required fields, unknown fields and NUL, of every operation.

use domain::Role;
use gateway::Entry;
use serde_json::{Value, json};

use super::{
    assert_refused_by_name, input_properties, minimal_input, send_over_rest, tool_entries,
};
use crate::support::TestApp;

async fn example_with_field(entry: &Entry, field: &str, value: Value) -> Value {
    let mut input = minimal_input(entry.spec.name);
    input[field] = value;
    // The day and the month must be given together.
    for (one, other) in [
        ("day", "month"),
        ("month", "day"),
        ("year", "day"),
        ("hour", "day"),
    ] {
        if field == one {
            input[other] = 1.into();
        }
    }
    if matches!(field, "year" | "hour") {
        input["month"] = 1.into();
    }
    // `expected_revision` requires `event_id`, which is optional.
    if entry.spec.name == "generate_art" && field == "expected_revision" {
        input["event_id"] = "01990000-0000-7000-8000-000000000015".into();
    }
    input
}

#[tokio::test]
async fn every_field_refuses_every_other_type_by_name() {
    let app = TestApp::new().await;
    let admin = super::admin_client(&app).await;
    let samples = [
        json!(null),
        json!(true),
        json!("1"),
        json!(1.5),
        json!(7),
        json!([7]),
        json!({}),
    ];
    let mut judged = 0;
    for entry in tool_entries().filter(|entry| entry.spec.has_body()) {
        for (field, schema) in input_properties(entry) {
            // A nullable field lists its type first and `null` second.
            let nullable = schema["type"].is_array();
            let kind = if nullable {
                &schema["type"][0]
            } else {
                &schema["type"]
            };
            // Without a type, the field takes any JSON.
            let Some(kind) = kind.as_str() else { continue };
            if entry.spec.placeholders().any(|name| name == field) {
                continue;
            }
            for sample in &samples {
                let fits = match kind {
                    "string" => sample.is_string(),
                    "integer" => sample.is_i64(),
                    "array" => sample.is_array(),
                    "object" => sample.is_object(),
                    "boolean" => sample.is_boolean(),
                    other => panic!("{field} has the unknown type {other}"),
                };
                if !(fits || nullable && sample.is_null()) {
                    let input = example_with_field(entry, &field, sample.clone()).await;
                    assert_refused_by_name(&admin, entry, &field, &input).await;
                    judged += 1;
                }
            }
        }
    }
    assert!(judged > 200, "{judged}");
    assert_eq!(
        app.count_rows("events").await + app.count_rows("config_log").await,
        0
    );
    assert_eq!(
        app.count_rows("email_drafts").await + app.count_rows("skills").await,
        0
    );
}

#[tokio::test]
async fn every_missing_required_field_is_named() {
    let app = TestApp::new().await;
    let admin = super::admin_client(&app).await;
    for entry in tool_entries().filter(|entry| entry.spec.has_body()) {
        let schema = entry.input_schema();
        let required = schema.get("required").and_then(Value::as_array);
        for field in required.into_iter().flatten() {
            let field = field.as_str().expect("a name");
            if entry.spec.placeholders().any(|name| name == field) {
                continue;
            }
            let mut input = minimal_input(entry.spec.name);
            input.as_object_mut().expect("an object").remove(field);
            if schema["properties"][field]["type"].is_array() {
                // A tool call does not distinguish `null` from an absent field, so only REST
                // refuses the input.
                assert_eq!(
                    send_over_rest(&admin, entry, input).await.invalid_fields(),
                    [field]
                );
                continue;
            }
            assert_refused_by_name(&admin, entry, field, &input).await;
        }
    }
}

#[tokio::test]
async fn every_operation_refuses_an_unknown_field_by_name() {
    let app = TestApp::new().await;
    let admin = super::admin_client(&app).await;
    for entry in tool_entries() {
        for field in [
            "estranho",
            "Title",
            "event_id ",
            "__proto__",
            "evento.título",
        ] {
            let mut input = minimal_input(entry.spec.name);
            input[field] = "segredo".into();
            let answer = send_over_rest(&admin, entry, input.clone()).await;
            assert!(!answer.text.contains("segredo"), "{}", answer.text);
            assert_refused_by_name(&admin, entry, field, &input).await;
        }
    }
}

#[tokio::test]
async fn an_unknown_name_is_echoed_shortened_and_without_control_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let name = format!("a\r\nb\u{1b}[31m{}", "x".repeat(500));
    let answer = lead
        .post("/api/demanda", json!({ "title": "A", name: 1 }))
        .await;
    assert_eq!(
        answer.invalid_fields(),
        [format!("ab[31m{}", "x".repeat(74))]
    );
}

#[tokio::test]
async fn every_text_refuses_nul_by_name() {
    let app = TestApp::new().await;
    let admin = super::admin_client(&app).await;
    let mut judged = 0;
    for entry in tool_entries() {
        for (field, schema) in input_properties(entry) {
            if schema["type"] != "string" || entry.spec.placeholders().any(|name| name == field) {
                continue;
            }
            for text in ["\u{0}", "a\u{0}b", "ab\u{0}"] {
                assert_refused_by_name(
                    &admin,
                    entry,
                    &field,
                    &example_with_field(entry, &field, text.into()).await,
                )
                .await;
                judged += 1;
            }
        }
    }
    assert!(judged > 60, "{judged}");
}
