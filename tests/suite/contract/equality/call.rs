//! A tool call that either interface can send.

use axum::http::Method;
use gateway::{Entry, Spec};
use serde_json::{Map, Value, json};
use tools::operations;

use super::story::{Side, Step};
use crate::support::{Answer, Client, Tool};

/// A tool call that either interface can send.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) arguments: Map<String, Value>,
    pub(super) key: Option<String>,
}

impl Call {
    pub(super) fn from_step(step: &Step, side: &Side) -> Self {
        let Value::Object(arguments) = (step.arguments)(side) else {
            panic!("{}: the arguments must be an object", step.tool)
        };
        Self {
            tool: step.tool,
            arguments,
            key: None,
        }
    }

    pub(super) fn with_idempotency_key(self, spec: &Spec, key: &str) -> Self {
        Self {
            key: spec.keyed.then(|| key.to_owned()),
            ..self
        }
    }

    pub(super) fn with_argument(&self, field: &str, value: Value) -> Self {
        let mut call = self.clone();
        call.arguments.insert(field.to_owned(), value);
        call
    }

    /// Returns the same call without arguments outside of the path. Keeps nullable arguments,
    /// because only REST requires them.
    pub(super) fn keep_path_arguments(&self) -> Self {
        let entry = find_entry(self.tool);
        let schema = Value::Object(entry.input_schema());
        let in_path = |field: &str| entry.spec.placeholders().any(|name| name == field);
        let nullable = |field: &str| schema["properties"][field]["type"].is_array();
        let mut call = self.clone();
        call.arguments
            .retain(|field, _| in_path(field) || nullable(field));
        call
    }

    pub(super) fn is_in_path(&self, field: &str) -> bool {
        let spec = find_entry(self.tool).spec;
        spec.placeholders().any(|name| name == field)
    }

    /// Returns a value of another type; `None` if REST can only send text, or if any type is valid.
    pub(super) fn wrongly_typed_value(&self, field: &str, property: &Value) -> Option<Value> {
        let spec = find_entry(self.tool).spec;
        if spec.placeholders().any(|name| name == field) {
            return None;
        }
        let kind = match &property["type"] {
            Value::Array(kinds) => &kinds[0],
            kind => kind,
        };
        match kind.as_str()? {
            "string" if spec.has_body() => Some(json!(7)),
            "string" => None,
            "array" | "object" if !spec.has_body() => None,
            _ => Some(json!("x")),
        }
    }

    pub(super) async fn call_by_rest(&self, client: &Client) -> Answer {
        let spec = find_entry(self.tool).spec;
        let mut arguments = self.arguments.clone();
        let part = |part: &str| {
            let Some(name) = part
                .strip_prefix('{')
                .and_then(|part| part.strip_suffix('}'))
            else {
                return part.to_owned();
            };
            let value = arguments.remove(name).expect("the path is whole");
            let value = value.as_str().expect("an id as text");
            percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC)
                .to_string()
        };
        let mut path = spec.path.split('/').map(part).collect::<Vec<_>>().join("/");
        let client = match &self.key {
            Some(key) => client.with_idempotency_key(key),
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

    pub(super) async fn call_by_mcp(&self, client: &Client) -> Tool {
        let mut arguments = self.arguments.clone();
        arguments.extend(
            self.key
                .as_ref()
                .map(|key| ("idempotency_key".to_owned(), json!(key))),
        );
        client.call_tool(self.tool, Value::Object(arguments)).await
    }
}

pub(super) fn find_entry(tool: &str) -> &'static Entry {
    let entry = operations().find(|entry| entry.spec.name == tool);
    entry.unwrap_or_else(|| panic!("there is no operation {tool}"))
}
