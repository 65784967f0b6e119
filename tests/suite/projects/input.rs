//! Both interfaces accept only the payload fields of the operation's type.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tools::operations;

use super::{Desk, NOBODY};
use crate::contract::list_tools;

impl Desk {
    /// Asserts that both interfaces refuse the input with 400 and name exactly these fields.
    async fn assert_refuses(&self, input: Value, fields: &[&str]) {
        let answer = self.lead.post(&self.project_path(), input.clone()).await;
        let mut named = answer.invalid_fields();
        named.dedup();
        assert_eq!(named, fields, "{input}: {}", answer.text);
        let mut arguments = input;
        arguments["projectId"] = self.id.as_str().into();
        let tool = self
            .lead
            .call_tool("apply_project_operation", arguments)
            .await;
        let told = format!(
            "INVALID_INPUT: {}",
            answer.body["error"].as_str().expect("text")
        );
        assert!(
            tool.is_error && tool.text.starts_with(&told),
            "{}",
            tool.text
        );
    }
}

fn operation_input(kind: &str, payload: Value) -> Value {
    json!({ "type": kind, "payload": payload, "expected_revision": 1 })
}

/// Each operation type with the schema of its payload.
fn operation_schemas() -> Vec<(String, Value)> {
    let entry = operations()
        .find(|entry| entry.spec.name == "apply_project_operation")
        .expect("in the table");
    let schema = Value::Object(entry.input_schema());
    let all = schema["oneOf"].as_array().expect("alternatives").clone();
    all.into_iter()
        .map(|one| {
            let name = one["properties"]["type"]["const"].as_str().expect("a type");
            (name.to_owned(), one["properties"]["payload"].clone())
        })
        .collect()
}

fn sample_value(field: &str) -> Value {
    match field {
        "title" | "notes" => json!("x"),
        "position" => json!(0),
        "assignee_member_ids" => json!([]),
        "due_on" | "starts_on" | "ends_on" => json!("2026-09-01"),
        _ => json!(NOBODY),
    }
}

const FIELDS: [&str; 11] = [
    "section_id",
    "item_id",
    "title",
    "notes",
    "assignee_member_ids",
    "due_on",
    "event_id",
    "member_id",
    "position",
    "starts_on",
    "ends_on",
];

#[tokio::test]
async fn a_type_accepts_its_own_fields_and_refuses_every_other_by_name() {
    let desk = Desk::new().await;
    let all = operation_schemas();
    let expected = "section.add section.rename section.move section.remove item.add item.update \
        item.move item.complete item.reopen item.remove item.assign item.schedule \
        item.link_event item.unlink_event project.rename project.describe project.schedule \
        project.archive project.restore member.add member.remove";
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names.join(" "),
        expected.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    for (kind, schema) in &all {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let required: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
        let mut least = json!({});
        for field in &required {
            least[*field] = sample_value(field);
        }
        for field in FIELDS {
            let path = format!("payload.{field}");
            let mut payload = least.clone();
            if schema["properties"].get(field).is_none() {
                payload[field] = sample_value(field);
                desk.assert_refuses(operation_input(kind, payload), &[&path])
                    .await;
                continue;
            }
            payload[field] = Value::Null;
            desk.assert_refuses(operation_input(kind, payload.clone()), &[&path])
                .await;
            payload[field] = if field == "title" {
                json!(7)
            } else {
                json!({})
            };
            desk.assert_refuses(operation_input(kind, payload.clone()), &[&path])
                .await;
            if required.contains(&field) {
                payload.as_object_mut().expect("an object").remove(field);
                desk.assert_refuses(operation_input(kind, payload), &[&path])
                    .await;
            }
        }
        let mut payload = least.clone();
        payload["estranho"] = json!("segredo");
        desk.assert_refuses(operation_input(kind, payload), &["payload.estranho"])
            .await;
    }
    assert_eq!(desk.load_stored_project().await.revision.get(), 1);
}

#[tokio::test]
async fn an_unknown_type_is_refused() {
    let desk = Desk::new().await;
    for kind in [
        json!("project.create"),
        json!("Section.add"),
        json!("section.add "),
        json!("section.add\u{0}"),
        json!(""),
        json!(null),
        json!(7),
        json!(["section.add"]),
    ] {
        let input = json!({ "type": kind, "payload": { "title": "x" }, "expected_revision": 1 });
        desk.assert_refuses(input, &["type"]).await;
    }
    desk.assert_refuses(json!({ "payload": {}, "expected_revision": 1 }), &["type"])
        .await;
    desk.assert_refuses(
        json!({ "type": "project.archive", "expected_revision": 1 }),
        &["payload"],
    )
    .await;
    desk.assert_refuses(
        json!({ "type": "project.archive", "payload": {} }),
        &["expected_revision"],
    )
    .await;
    for payload in [json!(null), json!("{}"), json!([]), json!(7)] {
        desk.assert_refuses(operation_input("project.archive", payload), &["payload"])
            .await;
    }
    // The fields of a payload are refused at the top level.
    let flat = json!({
        "type": "section.add", "payload": {}, "title": "x", "expected_revision": 1,
    });
    let answer = desk.lead.post(&desk.project_path(), flat).await;
    let mut fields = answer.invalid_fields();
    fields.sort_unstable();
    assert_eq!(fields, ["payload.title", "title"]);
}

#[tokio::test]
async fn nul_characters_and_impossible_dates_are_refused() {
    let desk = Desk::new().await;
    for text in ["\u{0}", "a\u{0}b"] {
        desk.assert_refuses(
            operation_input("section.add", json!({ "title": text })),
            &["payload.title"],
        )
        .await;
        desk.assert_refuses(
            operation_input("project.describe", json!({ "notes": text })),
            &["payload.notes"],
        )
        .await;
        let ids = json!({ "item_id": text });
        desk.assert_refuses(operation_input("item.complete", ids), &["payload.item_id"])
            .await;
    }
    for date in [
        "",
        "2026-02-29",
        "2026-13-01",
        "01/09/2026",
        "2026-9-1",
        "2026-09-01T00:00:00Z",
    ] {
        let due = json!({ "item_id": NOBODY, "due_on": date });
        desk.assert_refuses(operation_input("item.schedule", due), &["payload.due_on"])
            .await;
    }
    for position in [json!(-1), json!(1001), json!(0.5), json!("0")] {
        let place = json!({ "section_id": NOBODY, "position": position });
        desk.assert_refuses(
            operation_input("section.move", place),
            &["payload.position"],
        )
        .await;
    }
}

#[tokio::test]
async fn a_member_is_not_assigned_twice_even_if_the_id_is_spelled_differently() {
    let desk = Desk::new().await;
    let ana = desk.app.add_member(domain::Role::Criador).await.id;
    let section = desk.add_section("A").await;
    let item = desk.add_item(&section, "x").await;
    for ids in [json!([ana, ana]), json!([ana, ana.as_str().to_uppercase()])] {
        let payload = json!({ "item_id": item, "assignee_member_ids": ids });
        let refused = desk.apply_operation("item.assign", payload).await;
        assert_eq!(refused.invalid_fields(), ["payload.assignee_member_ids"]);
        let payload = json!({ "section_id": section, "title": "y", "assignee_member_ids": ids });
        let refused = desk.apply_operation("item.add", payload).await;
        assert_eq!(refused.invalid_fields(), ["payload.assignee_member_ids"]);
    }
}

/// Parses the description of the payload, such as `section: add(title, position?); item: …`, into the
/// fields of each type.
fn fields_by_type(description: &str) -> BTreeMap<String, BTreeSet<String>> {
    let (_, types) = description.split_once(". ").expect("a sentence before");
    let types = types.strip_suffix('.').expect("a full stop");
    let mut found = BTreeMap::new();
    for group in types.split("; ") {
        let (kind, verbs) = group.split_once(": ").expect("a kind");
        for verb in verbs.split_inclusive(')') {
            let (names, fields) = verb.trim().split_once('(').expect("fields");
            let fields = fields.trim_end_matches(')').split(", ");
            let fields: BTreeSet<String> = fields
                .filter(|field| !field.is_empty())
                .map(Into::into)
                .collect();
            for name in names.split('|') {
                found.insert(format!("{kind}.{name}"), fields.clone());
            }
        }
    }
    found
}

#[tokio::test]
async fn the_payload_of_the_tool_lists_the_fields_of_each_type() {
    let desk = Desk::new().await;
    let tools = list_tools(&desk.lead).await;
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == "apply_project_operation");
    let schema = &tool.expect("listed")["inputSchema"];
    assert!(schema.get("oneOf").is_none());
    let payload = &schema["properties"]["payload"];
    let fields = payload["properties"].as_object().expect("fields");
    let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
    let mut expected = FIELDS;
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    let stated = fields_by_type(payload["description"].as_str().expect("a description"));
    let schemas = operation_schemas();
    assert_eq!(stated.len(), schemas.len());
    for (kind, payload) in schemas {
        let required = payload["required"].as_array().cloned().unwrap_or_default();
        let of_type = payload["properties"].as_object().into_iter().flatten();
        let taken: BTreeSet<String> = of_type
            .map(|(field, _)| {
                let mark = if required.contains(&json!(field)) {
                    ""
                } else {
                    "?"
                };
                format!("{field}{mark}")
            })
            .collect();
        assert_eq!(stated.get(&kind), Some(&taken), "{kind}");
    }
}

#[tokio::test]
async fn every_text_is_kept_as_it_was_written() {
    let desk = Desk::new().await;
    for text in [
        "ção",
        "ç\u{327}",
        "🎉👩‍🍳",
        "\u{202e}abc",
        " a ",
        "\"\\/\u{1}\u{7f}",
        "null",
    ] {
        desk.apply_operation("project.rename", json!({ "title": text }))
            .await
            .expect(200);
        assert_eq!(desk.read_project().await["name"], text);
        let tool = desk
            .lead
            .call_tool("get_project", json!({ "projectId": desk.id }))
            .await;
        assert_eq!(tool.structured["project"]["name"], text);
        let list = desk.lead.get("/api/projects").await.expect(200).body;
        assert_eq!(list["projects"][0]["name"], text);
    }
    desk.assert_replays().await;
}
