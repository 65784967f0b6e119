//! One operation, two doors: REST and MCP give the same answer and the same refusal.
//!
//! Each area is a story: the same calls in the same order, told to one service by REST and to its
//! twin by MCP. A tool without a step in a story fails the suite.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tools::{
    OPERATIONS,
    domain::{Level, Role},
    registry::{Entry, Spec},
};

use super::{UNKNOWN_ID, listed_tools};
use crate::support::{Answer, Client, TestApp, Tool};

/// The calls about one area.
struct Story {
    prepare: for<'a> fn(&'a mut Side) -> BoxFuture<'a, ()>,
    steps: Vec<Step>,
}

/// A call that succeeds, and the refusals that can be made of it.
struct Step {
    tool: &'static str,
    arguments: fn(&Side) -> Value,
    /// The field whose id must exist.
    id: Option<&'static str>,
    /// The revision field, and a value that is not the current one.
    stale: Option<(&'static str, Value)>,
    /// A field, and another value for it: another request under the same key.
    other: Option<(&'static str, Value)>,
    /// Names for pieces of the answer, for later steps.
    keeps: Vec<(&'static str, &'static str)>,
}

impl Step {
    fn of(tool: &'static str, arguments: fn(&Side) -> Value) -> Self {
        Self {
            tool,
            arguments,
            id: None,
            stale: None,
            other: None,
            keeps: vec![],
        }
    }

    fn id(self, field: &'static str) -> Self {
        Self {
            id: Some(field),
            ..self
        }
    }

    fn stale(self, field: &'static str, value: Value) -> Self {
        Self {
            stale: Some((field, value)),
            ..self
        }
    }

    fn other(self, field: &'static str, value: Value) -> Self {
        Self {
            other: Some((field, value)),
            ..self
        }
    }

    fn keep(mut self, name: &'static str, pointer: &'static str) -> Self {
        self.keeps.push((name, pointer));
        self
    }
}

fn nothing(_: &mut Side) -> BoxFuture<'_, ()> {
    Box::pin(async {})
}

fn access() -> Story {
    Story {
        prepare: nothing,
        steps: vec![Step::of("get_me", |_| json!({}))],
    }
}

fn config() -> Story {
    let publish = |value: fn(&Side) -> Value| {
        Step::of("publish_config_version", value).other("key", json!("outra"))
    };
    Story {
        prepare: nothing,
        steps: vec![
            publish(
                |_| json!({ "key": "marca", "value": { "cor": "azul", "tons": [1, 2.5, null] } }),
            ),
            publish(|_| json!({ "key": "marca", "value": "verde" })),
            Step::of("get_config", |_| json!({ "limit": 10 })),
            Step::of(
                "list_config_history",
                |_| json!({ "key": "marca", "limit": 1 }),
            ),
        ],
    }
}

fn workflow() -> Story {
    fn assignee(side: &mut Side) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let member = side.app.member(Role::Criador).await;
            side.names.push((member.name, "Quem cria".into()));
            side.kept.insert("assignee", json!(member.id));
        })
    }
    Story {
        prepare: assignee,
        steps: vec![
            Step::of("create_demand", |side| {
                json!({
                    "title": "Festa junina ☕", "assignee_id": side["assignee"], "day": 24,
                    "month": 8, "year": 2026, "hour": "09:30", "description": "Oito ideias",
                    "tipo": "carrossel",
                })
            })
            .id("assignee_id")
            .other("title", json!("Outra festa"))
            .keep("event", "/event_id"),
            Step::of("update_event", |side| {
                json!({
                    "eventId": side["event"], "expected_revision": 1, "title": "Festa",
                    "assignee_ids": [side["assignee"], side["me"]],
                })
            })
            .id("eventId")
            .stale("expected_revision", json!(0))
            .other("title", json!("Outra festa")),
            Step::of("save_draft", |side| {
                json!({
                    "event_id": side["event"], "expected_revision": 2, "caption": "Canjica \"à\" \\",
                })
            })
            .id("event_id")
            .stale("expected_revision", json!(9))
            .other("caption", json!("Pamonha")),
            Step::of("list_events", |side| {
                json!({ "q": "canjica", "limit": 5, "de": "2026-08-01", "assignee_id": side["me"] })
            }),
            Step::of("list_my_tasks", |_| json!({})),
            Step::of("list_attachable_events", |_| json!({ "limit": 1 })),
            Step::of("submit_for_approval", |side| {
                json!({
                    "event_id": side["event"], "expected_revision": 3, "day": 25, "month": 8,
                })
            })
            .id("event_id")
            .stale("expected_revision", json!(2))
            .other("day", json!(26)),
            Step::of("list_pending_approvals", |_| json!({ "limit": 200 })),
            Step::of("decide_approval", |side| {
                json!({
                    "event_id": side["event"], "action": "recusar", "motivo": "Falta a receita",
                    "expected_revision": 4,
                })
            })
            .id("event_id")
            .stale("expected_revision", json!(3))
            .other("motivo", json!("Falta a foto")),
            Step::of("get_event", |side| json!({ "eventId": side["event"], "limit": 2 }))
                .id("eventId"),
        ],
    }
}

/// Every story; a new area adds its own.
fn stories() -> Vec<Story> {
    vec![access(), config(), workflow()]
}

#[test]
fn every_tool_has_a_step() {
    let steps: Vec<Step> = stories()
        .into_iter()
        .flat_map(|story| story.steps)
        .collect();
    let told: BTreeSet<&str> = steps.iter().map(|step| step.tool).collect();
    let tools = OPERATIONS.iter().filter(|entry| entry.spec.tool);
    let tools: BTreeSet<&str> = tools.map(|entry| entry.spec.name).collect();
    assert_eq!(told, tools);
    for step in &steps {
        let entry = entry(step.tool);
        let schema = Value::Object(entry.input_schema());
        let has = |field: &str| schema["properties"].get(field).is_some();
        let tool = step.tool;
        assert_eq!(
            step.other.is_some(),
            entry.spec.keyed,
            "{tool}: another request under its key"
        );
        let revised = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|field| {
                field
                    .as_str()
                    .is_some_and(|field| field.starts_with("expected_"))
            });
        assert!(step.stale.is_some() || !revised, "{tool}: a stale revision");
        let named = has("event_id") || entry.spec.placeholders().next().is_some();
        assert!(step.id.is_some() || !named, "{tool}: an unknown id");
    }
}

#[tokio::test]
async fn access_answers_alike_on_both_doors() {
    tell(access()).await;
}

#[tokio::test]
async fn config_answers_alike_on_both_doors() {
    tell(config()).await;
}

#[tokio::test]
async fn the_workflow_answers_alike_on_both_doors() {
    tell(workflow()).await;
}

/// One of the two services, with what its story needs to remember.
struct Side {
    app: TestApp,
    client: Client,
    /// Names that the fixtures made up, each with a common one.
    names: Vec<(String, String)>,
    kept: BTreeMap<&'static str, Value>,
}

impl std::ops::Index<&str> for Side {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.kept
            .get(name)
            .unwrap_or_else(|| panic!("no step kept {name}"))
    }
}

impl Side {
    async fn new(story: &Story) -> Self {
        let app = TestApp::new().await;
        let member = app.member_with(Role::Admin, Level::Admin, true).await;
        let client = app.token(&member).await;
        let names = vec![(member.name, "Quem chama".into())];
        let kept = BTreeMap::from([("me", json!(member.id))]);
        let mut side = Self {
            app,
            client,
            names,
            kept,
        };
        (story.prepare)(&mut side).await;
        side
    }

    /// The body without what two services cannot share: ids, made-up names, opaque cursors.
    fn normalised(&self, body: &Value) -> Value {
        let mut text = body.to_string();
        for (name, common) in &self.names {
            text = text.replace(name, common);
        }
        let mut body = serde_json::from_str(&numbered_ids(&text)).expect("JSON still");
        without_cursors(&mut body);
        body
    }
}

/// Every id as its place among the ids of the text.
fn numbered_ids(text: &str) -> String {
    let mut seen: Vec<&str> = vec![];
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let id = rest
            .get(..36)
            .filter(|id| tools::domain::EventId::from(*id).as_str() == *id);
        if let Some(id) = id {
            let place = seen
                .iter()
                .position(|other| *other == id)
                .unwrap_or_else(|| {
                    seen.push(id);
                    seen.len() - 1
                });
            result.push_str(&format!("id-{place}"));
            rest = &rest[36..];
        } else {
            result.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    result
}

fn without_cursors(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (field, value) in map {
                if field == "next_cursor" && value.is_string() {
                    *value = json!("…");
                }
                without_cursors(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_cursors),
        _ => {}
    }
}

async fn tell(story: Story) {
    let (mut by_rest, mut by_mcp) = (Side::new(&story).await, Side::new(&story).await);
    let outputs = output_validators(&by_rest.client).await;
    for (number, step) in story.steps.iter().enumerate() {
        for side in [&by_rest, &by_mcp] {
            refused_alike(step, side).await;
        }
        let key = format!("passo-{number:04}");
        let spec = entry(step.tool).spec;
        let rest = Call::of(step, &by_rest).keyed(&spec, &key);
        let mcp = Call::of(step, &by_mcp).keyed(&spec, &key);
        let answer = rest.by_rest(&by_rest.client).await.expect(spec.success);
        let result = mcp.by_mcp(&by_mcp.client).await;
        let body = succeeded(step.tool, &result);
        assert_eq!(
            by_rest.normalised(&answer.body),
            by_mcp.normalised(&body),
            "{}",
            step.tool
        );
        assert!(outputs[step.tool].is_valid(&body), "{}: {body}", step.tool);

        // Again through the other door: reads see the same, a key gives the kept answer.
        if spec.keyed || !spec.is_write() {
            let again = rest.by_mcp(&by_rest.client).await;
            assert_eq!(succeeded(step.tool, &again), answer.body, "{}", step.tool);
            let again = mcp.by_rest(&by_mcp.client).await.expect(spec.success);
            assert_eq!(again.body, body, "{}", step.tool);
            let replayed = again.headers.get("idempotency-replayed").is_some();
            assert_eq!(replayed, spec.keyed, "{}", step.tool);
        }
        if let Some((field, value)) = &step.other {
            for (side, call) in [(&by_rest, &rest), (&by_mcp, &mcp)] {
                let call = call.with(field, value.clone());
                refused_by_both(&call, side, 409, "IDEMPOTENCY_KEY_REUSED").await;
            }
        }
        for (side, body) in [(&mut by_rest, &answer.body), (&mut by_mcp, &body)] {
            for (name, pointer) in &step.keeps {
                let piece = body
                    .pointer(pointer)
                    .unwrap_or_else(|| panic!("{pointer} in {body}"));
                side.kept.insert(name, piece.clone());
            }
            side.app.pass(1000);
        }
    }
}

async fn output_validators(client: &Client) -> BTreeMap<String, jsonschema::Validator> {
    let tools = listed_tools(client).await;
    let validator = |tool: &Value| {
        let schema = jsonschema::draft202012::new(&tool["outputSchema"]).expect("a valid schema");
        (tool["name"].as_str().expect("a name").to_owned(), schema)
    };
    tools.iter().map(validator).collect()
}

/// The structured content, of which the text must be a copy.
#[track_caller]
fn succeeded(tool: &str, result: &Tool) -> Value {
    assert_eq!(
        (result.is_error, result.rpc_error),
        (false, None),
        "{tool}: {}",
        result.text
    );
    let text: Value = serde_json::from_str(&result.text).expect("the text is JSON");
    assert_eq!(
        text, result.structured,
        "{tool}: text and structured content differ"
    );
    text
}

/// Everything that can be wrong with a step, before it is taken.
async fn refused_alike(step: &Step, side: &Side) {
    let call = Call::of(step, side);
    let schema = Value::Object(entry(step.tool).input_schema());
    let strange = call.with("campo_que_nao_existe", json!("x"));
    refused_by_both(&strange, side, 400, "INVALID_INPUT").await;
    let bare = call.only_path();
    let required = schema["required"].as_array().into_iter().flatten();
    if required
        .filter_map(Value::as_str)
        .any(|field| !bare.arguments.contains_key(field))
    {
        refused_by_both(&bare, side, 400, "INVALID_INPUT").await;
    }
    for (field, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(wrong) = call.wrongly_typed(field, property) {
            refused_by_both(&call.with(field, wrong), side, 400, "INVALID_INPUT").await;
        }
    }
    if let Some(field) = step.id {
        for id in [UNKNOWN_ID, "evento-7", "../7", "'; --"] {
            refused_by_both(&call.with(field, json!(id)), side, 404, "NOT_FOUND").await;
        }
    }
    if let Some((field, value)) = &step.stale {
        let body = refused_by_both(
            &call.with(field, value.clone()),
            side,
            409,
            "STALE_REVISION",
        )
        .await;
        assert!(
            !body["details"]["current"].is_null(),
            "{}: {body}",
            step.tool
        );
    }
}

/// The same refusal by REST and by MCP, word for word.
async fn refused_by_both(call: &Call, side: &Side, status: u16, code: &str) -> Value {
    let (tool, arguments) = (call.tool, &call.arguments);
    let what = || format!("{tool} with {arguments:?}");
    let rest = call.by_rest(&side.client).await;
    assert_eq!(
        (rest.status, rest.code()),
        (status, code),
        "{}: {}",
        what(),
        rest.text
    );
    let mcp = call.by_mcp(&side.client).await;
    assert_eq!(
        (mcp.is_error, mcp.rpc_error),
        (true, None),
        "{}: {}",
        what(),
        mcp.text
    );
    assert_eq!(mcp.text, as_tool_text(&rest.body), "{}", what());
    assert!(
        mcp.structured.is_null(),
        "{}: an error with structured content",
        what()
    );
    rest.body
}

/// The error object as a tool words it: `CODE: mensagem`, the facts, the next step.
fn as_tool_text(body: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines = vec![format!("{}: {}", text(&body["code"]), text(&body["error"]))];
    let mut details = body["details"].as_object().cloned().unwrap_or_default();
    let next = details.remove("next");
    details.remove("fields");
    if !details.is_empty() {
        lines.push(format!("Detalhes: {}", Value::Object(details)));
    }
    lines.extend(next.map(|next| format!("Próximo passo: {}", text(&next))));
    lines.join("\n")
}

/// A tool with arguments, which either door can carry.
#[derive(Clone)]
struct Call {
    tool: &'static str,
    arguments: Map<String, Value>,
    key: Option<String>,
}

impl Call {
    fn of(step: &Step, side: &Side) -> Self {
        let Value::Object(arguments) = (step.arguments)(side) else {
            panic!("{}: arguments are an object", step.tool)
        };
        Self {
            tool: step.tool,
            arguments,
            key: None,
        }
    }

    fn keyed(self, spec: &Spec, key: &str) -> Self {
        Self {
            key: spec.keyed.then(|| key.to_owned()),
            ..self
        }
    }

    fn with(&self, field: &str, value: Value) -> Self {
        let mut call = self.clone();
        call.arguments.insert(field.to_owned(), value);
        call
    }

    /// Without the arguments that are not in the path.
    fn only_path(&self) -> Self {
        let spec = entry(self.tool).spec;
        let mut call = self.clone();
        call.arguments
            .retain(|field, _| spec.placeholders().any(|name| name == field));
        call
    }

    /// A value of another type; `None` where REST has only text, or any type goes.
    fn wrongly_typed(&self, field: &str, property: &Value) -> Option<Value> {
        let spec = entry(self.tool).spec;
        if spec.placeholders().any(|name| name == field) {
            return None;
        }
        match property["type"].as_str()? {
            "string" if spec.has_body() => Some(json!(7)),
            "string" => None,
            "array" | "object" if !spec.has_body() => None,
            _ => Some(json!("x")),
        }
    }

    async fn by_rest(&self, client: &Client) -> Answer {
        let spec = entry(self.tool).spec;
        let mut arguments = self.arguments.clone();
        let part = |part: &str| {
            let Some(name) = part
                .strip_prefix('{')
                .and_then(|part| part.strip_suffix('}'))
            else {
                return part.to_owned();
            };
            let value = arguments.remove(name).expect("the path is whole");
            let value = value.as_str().expect("ids are text");
            percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC)
                .to_string()
        };
        let mut path = spec.path.split('/').map(part).collect::<Vec<_>>().join("/");
        let client = match &self.key {
            Some(key) => client.with_key(key),
            None => client.clone(),
        };
        let method: Method = spec.verb.as_str().parse().expect("a method");
        if spec.has_body() {
            return client
                .send(
                    method,
                    &path,
                    Some(Value::Object(arguments).to_string().into()),
                )
                .await;
        }
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in &arguments {
            let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
            query.append_pair(name, &text);
        }
        path = format!("{path}?{}", query.finish());
        client.send(method, &path, None).await
    }

    async fn by_mcp(&self, client: &Client) -> Tool {
        let mut arguments = self.arguments.clone();
        arguments.extend(
            self.key
                .as_ref()
                .map(|key| ("idempotency_key".to_owned(), json!(key))),
        );
        client.call(self.tool, Value::Object(arguments)).await
    }
}

fn entry(tool: &str) -> &'static Entry {
    let entry = OPERATIONS.iter().find(|entry| entry.spec.name == tool);
    entry.unwrap_or_else(|| panic!("there is no operation {tool}"))
}

#[test]
fn ids_are_numbered_by_their_first_appearance() {
    let (a, b) = (UNKNOWN_ID, "0198c0de-0000-7000-8000-00000000000b");
    assert_eq!(numbered_ids(&format!("é{a}, {b}/{a}")), "éid-0, id-1/id-0");
}
