//! Runs a story over both interfaces, and asserts that the responses are the same word for word.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    call::{Call, find_entry},
    story::{Side, Step, Story},
};
use crate::{
    contract::{UNKNOWN_ID, list_tools},
    support::{Client, Tool, published_name},
};

pub(super) async fn run_story(story: Story) {
    let (mut by_rest, mut by_mcp) = (Side::new(&story).await, Side::new(&story).await);
    let outputs = output_validators(&by_rest.client).await;
    for (number, step) in story.steps.iter().enumerate() {
        run_step(number, step, (&mut by_rest, &mut by_mcp), &outputs).await;
    }
}

/// Runs one step: sends the invalid variants of its call, and then the call itself, to one service
/// over REST and to the other over MCP. Then repeats the call over the other interface, and sends a
/// different call with the same idempotency key. Asserts that both services answer alike.
pub(super) async fn run_step(
    number: usize,
    step: &Step,
    (by_rest, by_mcp): (&mut Side, &mut Side),
    outputs: &BTreeMap<String, jsonschema::Validator>,
) {
    for side in [&*by_rest, &*by_mcp] {
        assert_refused_alike(step, side).await;
    }
    let key = format!("passo-{number:04}");
    let spec = find_entry(step.tool).spec;
    let rest = Call::from_step(step, by_rest).with_idempotency_key(&spec, &key);
    let mcp = Call::from_step(step, by_mcp).with_idempotency_key(&spec, &key);
    let answer = rest
        .call_by_rest(&by_rest.client)
        .await
        .expect(spec.success);
    let result = mcp.call_by_mcp(&by_mcp.client).await;
    let body = assert_succeeded(step.tool, &result);
    assert_eq!(
        by_rest.normalise_body(&to_tool_result(answer.body.clone())),
        by_mcp.normalise_body(&body),
        "{}",
        step.tool
    );
    assert!(outputs[step.tool].is_valid(&body), "{}: {body}", step.tool);

    // Repeats the call over the other interface. A read returns the same content again, and a call
    // with an idempotency key returns the stored answer.
    if spec.keyed || !spec.is_write() {
        let again = rest.call_by_mcp(&by_rest.client).await;
        let expected = to_tool_result(answer.body.clone());
        assert_eq!(
            assert_succeeded(step.tool, &again),
            expected,
            "{}",
            step.tool
        );
        let again = mcp.call_by_rest(&by_mcp.client).await.expect(spec.success);
        assert_eq!(to_tool_result(again.body.clone()), body, "{}", step.tool);
        let replayed = again.headers.get("idempotency-replayed").is_some();
        assert_eq!(replayed, spec.keyed, "{}", step.tool);
    }
    if let Some((field, value)) = &step.other {
        for (side, call) in [(&*by_rest, &rest), (&*by_mcp, &mcp)] {
            let call = call.with_argument(field, value.clone());
            assert_refused_by_both(&call, side, 409, "IDEMPOTENCY_KEY_REUSED").await;
        }
    }
    for (side, body) in [(by_rest, &answer.body), (by_mcp, &body)] {
        for (name, pointer) in &step.keeps {
            let piece = body
                .pointer(pointer)
                .unwrap_or_else(|| panic!("{pointer} in {body}"));
            side.kept.insert(name, piece.clone());
        }
        side.app.advance_clock(1000);
    }
}

pub(super) async fn output_validators(client: &Client) -> BTreeMap<String, jsonschema::Validator> {
    let tools = list_tools(client).await;
    let validator = |tool: &Value| {
        let schema = jsonschema::draft202012::new(&tool["outputSchema"]).expect("a valid schema");
        (tool["name"].as_str().expect("a name").to_owned(), schema)
    };
    tools.iter().map(validator).collect()
}

/// Converts a REST answer to the corresponding tool result: removes the fields of listed events
/// that only `get_event` returns.
pub(super) fn to_tool_result(mut body: Value) -> Value {
    for list in ["eventos", "tarefas", "pendentes"] {
        for event in body
            .get_mut(list)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            let Some(event) = event.as_object_mut() else {
                continue;
            };
            event.remove("briefing");
            let caption = event["description"].as_str().unwrap_or_default();
            if caption.chars().count() > 300 {
                let begun: String = caption.chars().take(300).collect();
                event["description"] = begun.into();
                event.insert("description_truncated".into(), true.into());
            }
        }
    }
    body
}

/// Returns the structured content of a result. Asserts that the text is a copy of it.
#[track_caller]
fn assert_succeeded(tool: &str, result: &Tool) -> Value {
    assert_eq!(
        (result.is_error, result.rpc_error),
        (false, None),
        "{tool}: {}",
        result.text
    );
    let text: Value = serde_json::from_str(&result.text).expect("the text is JSON");
    assert_eq!(
        text, result.structured,
        "{tool}: the text differs from the structured content"
    );
    text
}

/// Makes every invalid variant of the step's call, and asserts that REST and MCP refuse it alike.
async fn assert_refused_alike(step: &Step, side: &Side) {
    let call = Call::from_step(step, side);
    let schema = Value::Object(find_entry(step.tool).input_schema());
    let strange = call.with_argument("campo_que_nao_existe", json!("x"));
    assert_refused_by_both(&strange, side, 400, "INVALID_INPUT").await;
    let bare = call.keep_path_arguments();
    let required = schema["required"].as_array().into_iter().flatten();
    if required
        .filter_map(Value::as_str)
        .any(|field| !bare.arguments.contains_key(field))
    {
        assert_refused_by_both(&bare, side, 400, "INVALID_INPUT").await;
    }
    for (field, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(wrong) = call.wrongly_typed_value(field, property) {
            assert_refused_by_both(
                &call.with_argument(field, wrong),
                side,
                400,
                "INVALID_INPUT",
            )
            .await;
        }
    }
    if let Some(field) = step.id {
        for id in [UNKNOWN_ID, "evento-7", "../7", "'; --"] {
            assert_refused_by_both(
                &call.with_argument(field, json!(id)),
                side,
                404,
                "NOT_FOUND",
            )
            .await;
        }
    }
    if let Some((field, must_exist)) = step.name {
        for malformed in ["../7", "'; --", "", "ação"] {
            let call = call.with_argument(field, json!(malformed));
            if !malformed.is_empty() || !call.is_in_path(field) {
                assert_refused_by_both(&call, side, 400, "INVALID_INPUT").await;
            }
        }
        if must_exist {
            let call = call.with_argument(field, json!(UNKNOWN_ID));
            assert_refused_by_both(&call, side, 404, "NOT_FOUND").await;
        }
    }
    if let Some((field, value)) = &step.stale {
        let body = assert_refused_by_both(
            &call.with_argument(field, value.clone()),
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

/// Asserts that REST and MCP refuse the call with the same words.
async fn assert_refused_by_both(call: &Call, side: &Side, status: u16, code: &str) -> Value {
    let (tool, arguments) = (call.tool, &call.arguments);
    let what = || format!("{tool} with {arguments:?}");
    let rest = call.call_by_rest(&side.client).await;
    assert_eq!(
        (rest.status, rest.error_code()),
        (status, code),
        "{}: {}",
        what(),
        rest.text
    );
    let mcp = call.call_by_mcp(&side.client).await;
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
        "{}: an error must have no structured content",
        what()
    );
    rest.body
}

fn is_field(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
}

/// Returns the error object as the text of a tool result: `CODE: mensagem`, the details, the next
/// step.
pub(super) fn as_tool_text(body: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut message = text(&body["error"]);
    let quoted: Vec<String> = message.split('`').map(str::to_owned).collect();
    for field in quoted
        .iter()
        .skip(1)
        .step_by(2)
        .filter(|text| is_field(text))
    {
        let published = published_name(field);
        message = message.replace(&format!("`{field}`"), &format!("`{published}`"));
    }
    let mut lines = vec![format!("{}: {message}", text(&body["code"]))];
    let mut details = body["details"].as_object().cloned().unwrap_or_default();
    let next = details.remove("next");
    details.remove("fields");
    if !details.is_empty() {
        lines.push(format!("Detalhes: {}", Value::Object(details)));
    }
    lines.extend(next.map(|next| format!("Próximo passo: {}", text(&next))));
    lines.join("\n")
}
