//! Texts without a visible character.

use domain::{Role, VISIBLE};
use serde_json::{Value, json};
use tools::operations;

use super::{NO_EVENT, assert_refused_by_name, minimal_input};
use crate::support::TestApp;

const BLANKS: [&str; 12] = [
    " ",
    "\t\r\n",
    "\u{a0}\u{2003}\u{3000}\u{1680}",
    "\u{200b}\u{2060}\u{feff}",
    "\u{2800}",
    "\u{3164}\u{115f}\u{1160}\u{ffa0}",
    "\u{ad}\u{34f}\u{180e}",
    "\u{202e}\u{2066}\u{200f}",
    "\u{e0020}\u{e007f}",
    "\u{fe0f}\u{200d}",
    "\u{1}\u{1f}\u{7f}\u{85}",
    "\u{2028}\u{1d159}",
];

/// Tool, field and input for each field that must have a visible character.
fn visible_text_fields() -> Vec<(&'static str, &'static str, Value)> {
    let project = |kind: &str, payload: Value| {
        json!({
            "projectId": NO_EVENT, "type": kind, "payload": payload, "expected_revision": 1,
        })
    };
    let titled = |kind: &str, mut payload: Value| {
        payload["title"] = "".into();
        (
            "apply_project_operation",
            "payload.title",
            project(kind, payload),
        )
    };
    let plain = |name: &'static str, field: &'static str| (name, field, minimal_input(name));
    vec![
        plain("create_demand", "title"),
        plain("create_demand", "channel"),
        plain("create_demand", "tipo"),
        plain("update_event", "title"),
        plain("update_event", "channel"),
        plain("update_event", "tipo"),
        plain("submit_for_approval", "tipo"),
        plain("generate_art", "prompt"),
        plain("generate_art", "kind"),
        (
            "generate_carousel",
            "cards.0.text",
            json!({ "cards": [{ "text": "" }] }),
        ),
        (
            "generate_carousel",
            "cards.0.prompt",
            json!({ "cards": [{ "text": "A", "prompt": "" }] }),
        ),
        plain("create_project", "name"),
        titled("section.add", json!({})),
        titled("section.rename", json!({ "section_id": NO_EVENT })),
        titled("item.add", json!({ "section_id": NO_EVENT })),
        titled("item.update", json!({ "item_id": NO_EVENT })),
        titled("project.rename", json!({})),
        plain("publish_skill_version", "description"),
        plain("publish_skill_version", "content"),
        plain("publish_config_version", "key"),
        ("search_knowledge", "pergunta", json!({})),
    ]
}

#[tokio::test]
async fn an_invisible_text_is_refused_by_name_on_both_interfaces() {
    let app = TestApp::new().await;
    let admin = super::admin_client(&app).await;
    for (name, field, mut input) in visible_text_fields() {
        let entry = operations().find(|entry| entry.spec.name == name);
        let entry = entry.expect("an operation");
        let place = format!("/{}", field.replace('.', "/"));
        if input.pointer(&place).is_none() {
            input[field] = "".into();
        }
        for blank in BLANKS.into_iter().chain([""]) {
            *input.pointer_mut(&place).expect("the field") = blank.into();
            assert_refused_by_name(&admin, entry, field, &input).await;
        }
    }
    for table in ["events", "projects", "skills", "config_log", "media"] {
        assert_eq!(app.count_rows(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn blank_names_of_people_and_tokens_are_refused() {
    let app = TestApp::new().await;
    let admin = super::admin_client(&app).await;
    for blank in BLANKS {
        let person = json!({ "name": blank, "email": "a@b.test", "access_level": "criador" });
        assert_eq!(
            admin.post("/api/membros", person).await.invalid_fields(),
            ["name"]
        );
        let token = json!({ "label": blank });
        let refused = admin.post("/api/access/tokens", token).await;
        assert_eq!(refused.invalid_fields(), ["label"]);
        assert!(
            refused.text.contains("não pode ficar em branco"),
            "{}",
            refused.text
        );
    }
}

#[tokio::test]
async fn one_visible_character_is_enough() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for title in [
        "\u{200b}.",
        " a\n",
        "🏳️\u{200d}🌈",
        "\u{3164}한",
        "\u{301}",
        "\u{10ffff}",
        "؀",
    ] {
        let created = lead.post("/api/demanda", json!({ "title": title }));
        let created = created.await.expect(200).body;
        assert_eq!(created["event"]["title"], title);
    }
}

/// Fields that may be blank: search texts, secrets, and texts that the service only compares.
const COMPARED: [&str; 9] = [
    "action",
    "cursor",
    "current_password",
    "password",
    "procurar",
    "q",
    "refresh_token",
    "senha",
    "token",
];

#[test]
fn a_required_text_of_a_write_must_not_be_blank() {
    let mut visible = 0;
    for entry in operations() {
        for_each_text_field(&entry.input_schema()["properties"], &mut |field, schema| {
            let asked = schema["pattern"] == VISIBLE.as_str();
            visible += usize::from(asked);
            let is_id = schema["maxLength"] == 64;
            let free = asked
                || schema["minLength"] != 1
                || schema["pattern"] != r"^[^\u0000]*$"
                || is_id
                || COMPARED.contains(&field)
                || !entry.spec.is_write();
            assert!(free, "{}: {field} may be blank", entry.spec.name);
        });
    }
    assert!(visible > 20, "{visible}");
}

/// Calls `judge` with the name and schema of each text field.
fn for_each_text_field(properties: &Value, judge: &mut impl FnMut(&str, &Value)) {
    for (field, schema) in properties.as_object().into_iter().flatten() {
        for schema in [schema, &schema["items"]] {
            if schema["type"] == "string" {
                judge(field, schema);
            }
            for_each_text_field(&schema["properties"], judge);
        }
    }
}
