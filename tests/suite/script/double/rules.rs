//! How the doubles of the two text APIs validate a request.
//!
//! <https://platform.openai.com/docs/guides/structured-outputs>,
//! <https://docs.anthropic.com/en/api/messages>

use axum::{http::HeaderMap, response::Response};
use serde_json::{Value, json};

use super::{ANTHROPIC_KEY, Asked, MODEL};
use crate::support::openai::{self, invalid_request, json_response};

pub(super) fn parse_completion(headers: &HeaderMap, body: &[u8]) -> Result<Asked, Box<Response>> {
    let known = ["model", "messages", "response_format"];
    let fields = openai::validate_request(headers, body, &known, &[MODEL])?;
    let messages = fields.get("messages").and_then(Value::as_array);
    let text = |at: usize, role: &str| {
        let message = messages?.get(at).filter(|message| message["role"] == role);
        message?["content"].as_str()
    };
    let (Some(system), Some(user)) = (text(0, "system"), text(1, "user")) else {
        return Err(invalid_request("invalid_value"));
    };
    let format = &fields["response_format"];
    let schema = &format["json_schema"];
    let name = schema["name"].as_str().unwrap_or_default();
    let named = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let strict = format["type"] == "json_schema" && schema["strict"] == true && named;
    if !strict || !is_strict(&schema["schema"]) {
        return Err(invalid_request("invalid_json_schema"));
    }
    parse_prompt(system, user, &schema["schema"]).ok_or_else(|| invalid_request("invalid_value"))
}

fn parse_prompt(system: &str, user: &str, schema: &Value) -> Option<Asked> {
    Some(Asked {
        instructions: system.to_owned(),
        material: serde_json::from_str(user).ok()?,
        is_draft: !schema["properties"]["titulo"].is_null(),
    })
}

/// Whether a schema is valid for structured outputs of both APIs: only keywords that both support,
/// and objects that require all their properties and forbid others.
fn is_strict(schema: &Value) -> bool {
    let Some(fields) = schema.as_object() else {
        return false;
    };
    let known = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
    ];
    if fields.keys().any(|name| !known.contains(&name.as_str())) {
        return false;
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().expect("properties");
            let required = schema["required"].as_array().expect("a list");
            schema["additionalProperties"] == false
                && required.len() == properties.len()
                && required
                    .iter()
                    .all(|name| properties.contains_key(name.as_str().expect("text")))
                && properties.values().all(is_strict)
        }
        Some("array") => is_strict(&schema["items"]),
        Some("string" | "integer") => true,
        _ => false,
    }
}

pub(super) fn require_anthropic_key(headers: &HeaderMap) -> Result<(), Box<Response>> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if header("x-api-key") != Some(ANTHROPIC_KEY) {
        return Err(Box::new(anthropic_error(401, "authentication_error")));
    }
    match header("anthropic-version") {
        Some("2023-06-01") => Ok(()),
        _ => Err(Box::new(anthropic_error(400, "invalid_request_error"))),
    }
}

pub(super) fn parse_message(headers: &HeaderMap, body: &[u8]) -> Result<Asked, Box<Response>> {
    require_anthropic_key(headers)?;
    let refusal = || Box::new(anthropic_error(400, "invalid_request_error"));
    let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
        return Err(refusal());
    };
    let known = ["model", "max_tokens", "system", "messages", "output_config"];
    if fields.keys().any(|name| !known.contains(&name.as_str())) {
        return Err(refusal());
    }
    if fields.get("model") != Some(&json!(MODEL)) {
        return Err(Box::new(anthropic_error(404, "not_found_error")));
    }
    let limited = matches!(
        fields.get("max_tokens").and_then(Value::as_u64),
        Some(1..=64_000)
    );
    let format = &fields["output_config"]["format"];
    if !limited || format["type"] != "json_schema" || !is_strict(&format["schema"]) {
        return Err(refusal());
    }
    let turn = &fields["messages"][0];
    let user = turn["content"].as_str().filter(|_| turn["role"] == "user");
    let asked = parse_prompt(
        fields["system"].as_str().unwrap_or_default(),
        user.unwrap_or_default(),
        &format["schema"],
    );
    asked.ok_or_else(refusal)
}

/// An error of Anthropic's API.
pub fn anthropic_error(status: u16, kind: &str) -> Response {
    let error = json!({ "type": kind, "message": format!("bad request of {ANTHROPIC_KEY}") });
    json_response(status, &json!({ "type": "error", "error": error }))
}
