//! Router, catalog, OpenAPI and tools are one table seen four times.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use serde_json::{Map, Value, json};
use tools::{
    OPERATIONS,
    domain::{Level, Role},
    registry::Code,
};

use super::{Built, Published, in_repository, listed_tools};
use crate::support::{Client, TestApp};

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Someone who sees every tool.
async fn everyone(app: &TestApp) -> Client {
    let member = app.member_with(Role::Admin, Level::Admin, true).await;
    app.token(&member).await
}

/// The methods of each path.
fn by_path(
    places: impl IntoIterator<Item = (String, String)>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut paths = BTreeMap::<String, BTreeSet<String>>::new();
    for (method, path) in places {
        assert!(
            paths
                .entry(path.clone())
                .or_default()
                .insert(method.clone()),
            "{method} {path}"
        );
    }
    paths
}

#[tokio::test]
async fn table_catalog_and_openapi_list_the_same_routes() {
    let app = TestApp::new().await;
    let published = Published::by(&app).await;
    let text = |row: &Value, field: &str| row[field].as_str().expect("text").to_owned();
    let table = by_path(
        Built::all()
            .into_iter()
            .map(|b| (b.method.into(), b.path.into())),
    );
    let rows = published.rows();
    let catalog = by_path(
        rows.iter()
            .map(|row| (text(row, "method"), text(row, "path"))),
    );
    let openapi = by_path(
        published
            .operations()
            .map(|(verb, path, _)| (verb, path.into())),
    );
    assert_eq!(catalog, table);
    assert_eq!(openapi, table);
    assert_eq!(published.catalog["total"], rows.len());
    let with_tool = rows
        .iter()
        .filter(|row| row["ferramenta_mcp"].is_string())
        .count();
    assert_eq!(published.catalog["com_ferramenta"], with_tool);
    assert_eq!(
        published.catalog["mcp_url"],
        "http://127.0.0.1:8080/api/mcp"
    );
}

#[tokio::test]
async fn catalog_and_openapi_say_the_same_of_each_route() {
    let app = TestApp::new().await;
    let published = Published::by(&app).await;
    for row in published.rows() {
        let (method, path) = (row["method"].as_str(), row["path"].as_str());
        let object = published.operation(method.expect("text"), path.expect("text"));
        let id = &row["operation_id"];
        assert_eq!(&object["operationId"], id);
        assert_eq!(object["summary"], row["summary"], "{id}");
        assert_eq!(object["tags"], json!([row["area"]]), "{id}");
        assert_eq!(object["x-capability"], row["permissao"], "{id}");
        assert_eq!(object["x-mcp-tool"], row["ferramenta_mcp"], "{id}");
        assert_eq!(
            object["x-extension"] == true,
            row["contrato"] == false,
            "{id}"
        );
        assert_eq!(
            parameters(object, "path"),
            names(&row["path_params"]),
            "{id}"
        );
        assert_eq!(
            parameters(object, "query"),
            names(&row["query_params"]),
            "{id}"
        );
    }
}

fn names(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|name| name.as_str().expect("text").to_owned())
        .collect()
}

fn parameters(object: &Value, place: &str) -> BTreeSet<String> {
    let all = object["parameters"].as_array().into_iter().flatten();
    all.filter(|p| p["in"] == place)
        .map(|p| p["name"].as_str().expect("text").into())
        .collect()
}

#[tokio::test]
async fn every_listed_route_is_served_and_no_other_method_is() {
    let app = TestApp::new().await;
    let client = everyone(&app).await;
    let unrouted = client.get("/api/nada").await.refused(404, "NOT_FOUND").body;
    let mut paths = BTreeMap::<&str, Vec<Built>>::new();
    let built = Built::all();
    for route in &built {
        paths.entry(route.path).or_default().push(route.clone());
    }
    for (path, routes) in paths {
        let served: BTreeSet<&str> = routes.iter().map(|route| route.method).collect();
        let concrete = routes[0].concrete_path();
        for method in METHODS {
            let what = format!("{method} {path}");
            let verb: Method = method.parse().expect("a method");
            // Where there is no caller nothing runs; only the routing shows.
            let sender = if path == "/api/mcp" {
                &client
            } else {
                &app.anonymous()
            };
            let answer = sender.send(verb, &concrete, None).await;
            if served.contains(method) {
                assert_ne!(answer.status, 405, "{what}");
                assert_ne!(answer.body, unrouted, "{what} is not routed");
                continue;
            }
            let answer = answer.refused(405, "METHOD_NOT_ALLOWED");
            let allow = answer
                .headers
                .get("allow")
                .unwrap_or_else(|| panic!("{what}: no Allow"));
            let allow: BTreeSet<&str> = allow
                .to_str()
                .expect("text")
                .split(',')
                .map(str::trim)
                .collect();
            let mut expected = served.clone();
            expected.extend(served.contains("GET").then_some("HEAD"));
            assert_eq!(allow, expected, "{what}: Allow");
        }
    }
}

#[tokio::test]
async fn an_unknown_address_is_the_error_object() {
    let app = TestApp::new().await;
    let client = everyone(&app).await;
    for path in [
        "/",
        "/api",
        "/api/",
        "/api/me/",
        "/api/nada",
        "/api/mcp/x",
        "/API/ME",
        "/api//me",
    ] {
        for sender in [&client, &app.anonymous()] {
            let answer = sender.get(path).await.refused(404, "NOT_FOUND");
            assert_eq!(answer.headers["content-type"], "application/json", "{path}");
        }
    }
}

#[tokio::test]
async fn yaml_equals_json() {
    let app = TestApp::new().await;
    let json = app
        .anonymous()
        .get("/api/ai/openapi.json")
        .await
        .expect(200);
    let yaml = app
        .anonymous()
        .get("/api/ai/openapi.yaml")
        .await
        .expect(200);
    assert_eq!(json.headers["content-type"], "application/json");
    assert_eq!(yaml.headers["content-type"], "application/yaml");
    let read: Value = serde_yaml_ng::from_str(&yaml.text).expect("YAML");
    assert_eq!(read, json.body);
    assert_eq!(json.body["openapi"], "3.1.0");
}

#[tokio::test]
async fn every_openapi_operation_is_whole() {
    let app = TestApp::new().await;
    let published = Published::by(&app).await;
    let declared: BTreeSet<&str> = published.openapi["tags"]
        .as_array()
        .expect("tags")
        .iter()
        .map(|tag| tag["name"].as_str().expect("text"))
        .collect();
    let mut seen = BTreeSet::new();
    for (method, path, object) in published.operations() {
        let what = format!("{method} {path}");
        let id = object["operationId"].as_str().expect("an operation id");
        assert!(seen.insert(id), "{what}: {id} is taken");
        assert!(
            object["security"].is_array(),
            "{what} does not state its security"
        );
        assert!(
            declared.contains(object["tags"][0].as_str().expect("a tag")),
            "{what}"
        );
        portuguese(&object["description"], &what);
        let summary = object["summary"].as_str().unwrap_or_default();
        assert!(
            (3..=80).contains(&summary.chars().count()),
            "{what}: summary {summary:?}"
        );
        let responses = object["responses"].as_object().expect("responses");
        for kind in ['2', '4'] {
            let some = responses.keys().any(|status| status.starts_with(kind));
            assert!(
                some || kind == '4' && object["security"] == json!([]),
                "{what}: no {kind}xx"
            );
        }
        for placeholder in placeholders(path) {
            assert!(
                parameters(object, "path").contains(placeholder),
                "{what}: {placeholder}"
            );
        }
    }
    resolves(&published.openapi, &published.openapi);
}

#[tokio::test]
async fn everything_that_is_published_is_in_portuguese() {
    let app = TestApp::new().await;
    let published = Published::by(&app).await;
    let mut read = 0;
    every_schema(&published.openapi, &mut |part| {
        for field in ["description", "summary"] {
            // Where it is not text it is a property of that name.
            if let Some(text) = part[field].as_str() {
                not_english(text, &part.to_string());
                read += 1;
            }
        }
    });
    assert!(read > 100, "only {read} texts");
    for code in Code::ALL {
        not_english(code.message(), code.as_str());
        not_english(code.next().unwrap_or_default(), code.as_str());
    }
}

fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// Every `$ref` of a document leads somewhere in it.
fn resolves(document: &Value, part: &Value) {
    match part {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get("$ref") {
                let pointer = reference.strip_prefix('#').expect("a local reference");
                assert!(
                    document.pointer(pointer).is_some(),
                    "{reference} leads nowhere"
                );
            }
            map.values().for_each(|value| resolves(document, value));
        }
        Value::Array(items) => items.iter().for_each(|value| resolves(document, value)),
        _ => {}
    }
}

#[tokio::test]
async fn every_tool_can_be_read_by_a_plain_client() {
    let app = TestApp::new().await;
    let tools = listed_tools(&everyone(&app).await).await;
    let expected = OPERATIONS.iter().filter(|entry| entry.spec.tool).count();
    assert_eq!(
        tools.len(),
        expected,
        "someone with every right does not see every tool"
    );
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        let entry = OPERATIONS
            .iter()
            .find(|entry| entry.spec.name == name)
            .expect("in the table");
        assert!(is_plain_name(name), "{name}");
        portuguese(&tool["description"], name);
        let title = tool["title"].as_str().unwrap_or_default();
        assert!(
            (3..=60).contains(&title.chars().count()),
            "{name}: title {title:?}"
        );
        plain_input(&tool["inputSchema"], name);
        for placeholder in placeholders(entry.spec.path) {
            let schema = &tool["inputSchema"];
            assert!(
                schema["properties"][placeholder].is_object(),
                "{name}: {placeholder}"
            );
            assert!(
                names(&schema["required"]).contains(placeholder),
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
            !mentions(&tool["outputSchema"], "$ref"),
            "{name}: output schema"
        );
        jsonschema::draft202012::new(&tool["outputSchema"]).expect("a valid schema");
        hints(tool, entry.spec.verb.as_str());
    }
}

/// `^[a-z][a-z0-9_]{0,63}$`
fn is_plain_name(name: &str) -> bool {
    let rest = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(rest)
}

fn hints(tool: &Value, method: &str) {
    let name = &tool["name"];
    let hint = |hint: &str| {
        let found = tool["annotations"][hint].as_bool();
        found.unwrap_or_else(|| panic!("{name} has no {hint}"))
    };
    let (reads, destroys) = (hint("readOnlyHint"), hint("destructiveHint"));
    let (repeats, _open) = (hint("idempotentHint"), hint("openWorldHint"));
    assert!(!(reads && destroys), "{name} reads and destroys");
    assert!(!reads || repeats, "{name} reads, but not twice");
    assert!(method != "GET" || reads, "{name} is a GET that writes");
    assert!(
        method != "DELETE" || destroys,
        "{name} is a DELETE that spares"
    );
    assert_eq!(tool["annotations"]["title"], tool["title"], "{name}");
}

fn plain_input(schema: &Value, name: &str) {
    assert_eq!(schema["type"], "object", "{name}");
    assert_eq!(schema["additionalProperties"], false, "{name}");
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
    assert!(!mentions(schema, "$ref"), "{name} has a $ref");
    jsonschema::draft202012::new(schema).expect("a valid schema");
    every_schema(schema, &mut |part| {
        let nullable = part["type"].is_array() || part["type"] == "null";
        assert!(!nullable, "{name} has a nullable union: {part}");
    });
    every_property(schema, name);
}

/// Every property of an object, and of the objects inside it, is described.
fn every_property(schema: &Value, what: &str) {
    for (field, property) in schema["properties"].as_object().into_iter().flatten() {
        let what = format!("{what}.{field}");
        described(&property["description"], &what);
        every_property(property, &what);
        every_property(&property["items"], &what);
        for keyword in ["anyOf", "oneOf"] {
            property[keyword]
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|branch| {
                    every_property(branch, &what);
                });
        }
    }
}

fn every_schema(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Object(map) => {
            visit(value);
            map.values().for_each(|value| every_schema(value, visit));
        }
        Value::Array(items) => items.iter().for_each(|value| every_schema(value, visit)),
        _ => {}
    }
}

fn mentions(value: &Value, keyword: &str) -> bool {
    let mut found = false;
    every_schema(value, &mut |part| found |= part.get(keyword).is_some());
    found
}

/// A description that an agent can work with, in Portuguese.
#[track_caller]
fn portuguese(text: &Value, what: &str) {
    described(text, what);
    let words = words(text.as_str().expect("text"));
    let typical = [
        "o", "a", "os", "as", "um", "uma", "de", "da", "do", "e", "em", "que", "para",
    ];
    assert!(
        words.iter().any(|w| typical.contains(&w.as_str())),
        "{what}: not Portuguese: {text}"
    );
}

#[track_caller]
fn described(text: &Value, what: &str) {
    let text = text.as_str().unwrap_or_default();
    assert!(
        text.trim().chars().count() >= 8,
        "{what} is not described: {text:?}"
    );
    not_english(text, what);
}

/// Refuses the words that only English has.
#[track_caller]
fn not_english(text: &str, what: &str) {
    let english = [
        "the", "of", "and", "with", "this", "is", "are", "when", "which", "by", "an", "how",
        "what", "who", "that", "where", "its", "from", "not", "has", "to",
    ];
    let found: Vec<_> = words(text)
        .into_iter()
        .filter(|word| english.contains(&word.as_str()))
        .collect();
    assert!(found.is_empty(), "{what} is in English ({found:?}): {text}");
}

/// The words outside of code, hyphenated ones as one.
fn words(text: &str) -> Vec<String> {
    let prose: String = text.split('`').step_by(2).collect();
    let words = prose.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// One file per tool: what an agent reads of it.
#[tokio::test]
async fn tools_are_published_as_reviewed() {
    let app = TestApp::new().await;
    let tools = listed_tools(&everyone(&app).await).await;
    let folder = in_repository("tests/suite/contract/snapshots/tools");
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
    assert_eq!(kept, expected, "a snapshot without its tool");
}

#[test]
fn error_codes_are_published_as_reviewed() {
    let rows = Code::ALL.iter().map(|code| {
        let row = json!({
            "status": code.status(), "message": code.message(), "next": code.next(),
        });
        (code.as_str().to_owned(), row)
    });
    let table: Map<String, Value> = rows.collect();
    assert_eq!(table.len(), Code::ALL.len(), "a code that stands twice");
    let settings = snapshot_settings(&in_repository("tests/suite/contract/snapshots"));
    settings.bind(|| insta::assert_json_snapshot!("error_codes", table));
}

fn snapshot_settings(folder: &std::path::Path) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}
