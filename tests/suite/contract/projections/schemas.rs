//! The tools as a client sees them.

use gateway::{Effect, Spec, Verb};
use serde_json::{Map, Value, json};
use tools::operations;

use super::{
    client_with_every_tool,
    language::{assert_described, assert_portuguese},
    name_set, path_placeholders, visit_schemas,
};
use crate::{
    contract::{list_tools, repository_path},
    support::{TestApp, published_name},
};

#[tokio::test]
async fn every_tool_can_be_read_by_a_plain_client() {
    let app = TestApp::new().await;
    let tools = list_tools(&client_with_every_tool(&app).await).await;
    let expected = operations().filter(|entry| entry.spec.tool).count();
    assert_eq!(
        tools.len(),
        expected,
        "a member with every right must see every tool"
    );
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        let entry = operations()
            .find(|entry| entry.spec.name == name)
            .expect("in the table");
        assert!(is_plain_name(name), "{name}");
        assert_portuguese(&tool["description"], name);
        let title = tool["title"].as_str().unwrap_or_default();
        assert!(
            (3..=60).contains(&title.chars().count()),
            "{name}: title {title:?}"
        );
        assert_plain_input(&tool["inputSchema"], name);
        for field in tool["inputSchema"]["properties"]
            .as_object()
            .expect("fields")
            .keys()
        {
            assert!(is_plain_name(field), "{name}: {field} is not in snake case");
        }
        for placeholder in path_placeholders(entry.spec.path) {
            let schema = &tool["inputSchema"];
            let placeholder = &*published_name(placeholder);
            assert!(
                schema["properties"][placeholder].is_object(),
                "{name}: {placeholder}"
            );
            assert!(
                name_set(&schema["required"]).contains(placeholder),
                "{name}: {placeholder}"
            );
        }
        assert_eq!(
            tool["outputSchema"]["type"], "object",
            "{name}: output schema"
        );
        assert!(
            tool["outputSchema"]["properties"].is_object(),
            "{name}: output schema"
        );
        assert!(
            !mentions_keyword(&tool["outputSchema"], "$ref"),
            "{name}: output schema"
        );
        jsonschema::draft202012::new(&tool["outputSchema"]).expect("a valid schema");
        assert_hints(tool, &entry.spec);
    }
}

/// Returns true if the name matches `^[a-z][a-z0-9_]{0,63}$`.
fn is_plain_name(name: &str) -> bool {
    let rest = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(rest)
}

/// Returns whether jobs may reach a service outside Pauta because of a call.
const fn reaches_outside_later(spec: &Spec) -> bool {
    spec.reaches_outside_later
}

fn assert_hints(tool: &Value, spec: &Spec) {
    let name = &tool["name"];
    let hint = |hint: &str| {
        let found = tool["annotations"][hint].as_bool();
        found.unwrap_or_else(|| panic!("{name} has no {hint}"))
    };
    let (reads, destroys) = (hint("readOnlyHint"), hint("destructiveHint"));
    let (repeats, open) = (hint("idempotentHint"), hint("openWorldHint"));
    // MCP hosts that respect the tool annotations ask the user before they call these tools.
    if [
        "generate_art",
        "generate_carousel",
        "generate_script",
        "start_video_generation",
    ]
    .contains(&name.as_str().unwrap_or_default())
    {
        assert!(
            open && !reads,
            "{name} costs money, so it must be open-world and not read-only"
        );
    }
    if [
        "decide_approval",
        "decide_publication",
        "decide_variants",
        "publish_shortvideo",
    ]
    .contains(&name.as_str().unwrap_or_default())
    {
        assert!(
            open && destroys,
            "{name} lets posts go out, so it must be open-world and destructive"
        );
    }
    assert!(
        !reaches_outside_later(spec) || (open && !reads),
        "{name} reaches outside later, so it must be open-world and not read-only"
    );
    assert!(
        spec.effect != Effect::Destroy || destroys,
        "{name} overwrites, deletes or publishes, so it must be destructive"
    );
    assert!(
        !(reads && destroys),
        "{name} is annotated as both read-only and destructive"
    );
    assert!(
        !reads || repeats,
        "{name} is read-only, so it must be idempotent"
    );
    assert!(
        spec.verb != Verb::Get || reads,
        "{name} is a GET, so it must be read-only"
    );
    assert!(
        spec.verb != Verb::Delete || destroys,
        "{name} is a DELETE, so it must be destructive"
    );
    assert_eq!(tool["annotations"]["title"], tool["title"], "{name}");
}

fn assert_plain_input(schema: &Value, name: &str) {
    assert_eq!(schema["type"], "object", "{name}");
    // The service accepts other spellings of a field, so a client that validates arguments must not
    // reject unknown fields.
    visit_schemas(schema, &mut |part| {
        assert_ne!(part["additionalProperties"], false, "{name} is closed");
    });
    for keyword in [
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "$schema",
        "title",
        "description",
    ] {
        assert!(
            schema.get(keyword).is_none(),
            "{name} has {keyword} at its root"
        );
    }
    assert!(!mentions_keyword(schema, "$ref"), "{name} has a $ref");
    jsonschema::draft202012::new(schema).expect("a valid schema");
    visit_schemas(schema, &mut |part| {
        let nullable = part["type"].is_array() || part["type"] == "null";
        assert!(!nullable, "{name} has a nullable union: {part}");
    });
    assert_properties_described(schema, name);
}

/// Prefixes of fields without a description: the tool for a single item describes the fields of
/// list items, the description of a place names its fields, and the host fills in the fields of the
/// file.
const DESCRIBED_ELSEWHERE: [&str; 5] = [
    "put_variants.variantes.",
    "add_remark.ancora.",
    "create_demands.demandas.",
    "apply_project_operations.operations.",
    "import_media.file.",
];

/// Fields that may lack a description, because their names and values say enough beside the description
/// of the tool. The fields nested inside them are described.
const NAMES_ITSELF: [&str; 48] = [
    "action",
    "alt",
    "aspect",
    "attach",
    "cards",
    "channel",
    "cursor",
    "day",
    "detach",
    "disable_comment",
    "duration_s",
    "email",
    "estado",
    "event_id",
    "fim",
    "formato",
    "id",
    "item_id",
    "item_status",
    "key",
    "kind",
    "limit",
    "limite",
    "mencionam_me",
    "meta_centavos",
    "month",
    "name",
    "nome",
    "operations",
    "plano",
    "produto_id",
    "project_id",
    "publication_id",
    "quality",
    "reason",
    "remark_id",
    "section_id",
    "status",
    "style",
    "template_id",
    "texto",
    "tipo",
    "title",
    "tom",
    "type",
    "upload_id",
    "webhook_id",
    "year",
];

/// Asserts that every property of an object, and of the objects inside it, is described.
fn assert_properties_described(schema: &Value, what: &str) {
    for (field, property) in schema["properties"].as_object().into_iter().flatten() {
        let what = format!("{what}.{field}");
        let elsewhere = DESCRIBED_ELSEWHERE.iter().any(|at| what.starts_with(at));
        if elsewhere {
            continue;
        }
        if !NAMES_ITSELF.contains(&field.as_str()) {
            assert_described(&property["description"], &what);
        }
        assert_properties_described(property, &what);
        assert_properties_described(&property["items"], &what);
        for keyword in ["anyOf", "oneOf"] {
            property[keyword]
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|branch| {
                    assert_properties_described(branch, &what);
                });
        }
    }
}

/// The items of a list have the fields and types of the tool for a single item. Only that tool has
/// the descriptions, so that the list of tools does not contain them twice.
#[tokio::test]
async fn list_items_have_the_fields_of_the_tool_for_a_single_item() {
    let app = TestApp::new().await;
    let tools = list_tools(&client_with_every_tool(&app).await).await;
    let input = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name);
        tool.expect("a tool")["inputSchema"].clone()
    };
    for (many, list, one, apart) in [
        (
            "create_demands",
            "demandas",
            "create_demand",
            &["idempotency_key"][..],
        ),
        (
            "apply_project_operations",
            "operations",
            "apply_project_operation",
            &[
                "idempotency_key",
                "project_id",
                "expected_revision",
                "expected_updated_at",
            ],
        ),
    ] {
        let (many, one) = (input(many), input(one));
        let described = &many["properties"][list];
        let items = &described["items"];
        let mut fields = one["properties"].as_object().expect("fields").clone();
        fields.retain(|field, _| !apart.contains(&field.as_str()));
        let listed = items["properties"].as_object().expect("fields");
        assert!(listed.keys().eq(fields.keys()), "{list}: {listed:?}");
        for (field, property) in listed {
            assert_eq!(property["type"], fields[field]["type"], "{list}: {field}");
        }
        let mut required = name_set(&one["required"]);
        required.retain(|field| !apart.contains(&field.as_str()));
        assert_eq!(name_set(&items["required"]), required, "{list}");
    }
}

#[tokio::test]
async fn every_tool_with_an_idempotency_key_publishes_its_pattern() {
    let app = TestApp::new().await;
    let mut seen = 0;
    for tool in list_tools(&client_with_every_tool(&app).await).await {
        let key = &tool["inputSchema"]["properties"]["idempotency_key"];
        let entry = operations().find(|entry| tool["name"] == entry.spec.name);
        assert_eq!(key.is_object(), entry.expect("in the table").spec.keyed);
        if key.is_object() {
            let text = key["description"].as_str().expect("text");
            assert!(text.contains("não duplica"), "{}", tool["name"]);
            seen += 1;
        }
    }
    assert!(seen > 25, "only {seen}");
}

fn mentions_keyword(value: &Value, keyword: &str) -> bool {
    let mut found = false;
    visit_schemas(value, &mut |part| found |= part.get(keyword).is_some());
    found
}

/// Records the snapshots of tools and error codes.
const RECORD: &str =
    "INSTA_UPDATE=always cargo test --test suite -- contract::projections::schemas";

/// Compares each tool with its snapshot, which has the parts that an agent reads.
#[tokio::test]
async fn tools_are_published_as_reviewed() {
    let app = TestApp::new().await;
    let tools = list_tools(&client_with_every_tool(&app).await).await;
    let folder = repository_path("tests/suite/contract/snapshots/tools");
    for tool in &tools {
        let fields = [
            "name",
            "title",
            "description",
            "inputSchema",
            "outputSchema",
            "annotations",
        ];
        let seen: Map<String, Value> = fields
            .iter()
            .map(|field| ((*field).into(), tool[*field].clone()))
            .collect();
        let settings = snapshot_settings(&folder);
        let name = tool["name"].as_str().expect("a name");
        let kept = folder.join(format!("{name}.snap"));
        assert!(
            kept.exists() || std::env::var_os("INSTA_UPDATE").is_some(),
            "the tool {name} has no reviewed snapshot. Record and review {}: {RECORD}",
            kept.display()
        );
        settings.bind(|| insta::assert_json_snapshot!(name, seen));
    }
    let mut kept: Vec<String> = std::fs::read_dir(&folder)
        .expect("snapshots")
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("text")
        })
        .filter(|name| name.ends_with(".snap"))
        .collect();
    kept.sort_unstable();
    let mut expected: Vec<String> = tools
        .iter()
        .map(|tool| format!("{}.snap", tool["name"].as_str().expect("a name")))
        .collect();
    expected.sort_unstable();
    assert_eq!(
        kept, expected,
        "a snapshot has no tool: delete its file in tests/suite/contract/snapshots/tools"
    );
}

#[test]
fn error_codes_are_published_as_reviewed() {
    let rows = tools::error_codes().map(|code| {
        let row = json!({
            "status": code.status(), "message": code.message(), "next": code.next_step(),
        });
        (code.as_str().to_owned(), row)
    });
    let table: Map<String, Value> = rows.collect();
    assert_eq!(
        table.len(),
        tools::error_codes().count(),
        "an error code is listed twice"
    );
    let settings = snapshot_settings(&repository_path("tests/suite/contract/snapshots"));
    settings.bind(|| insta::assert_json_snapshot!("error_codes", table));
}

fn snapshot_settings(folder: &std::path::Path) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}
