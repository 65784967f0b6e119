//! One example per operation: its input and its recorded answer.
//!
//! The inputs are written by hand, one file per operation in `ai-artifacts/examples`. They name the
//! resources that [`crate::cli::demo::examples`] puts in every demo. The suite runs all of them and
//! records inputs and answers in `ai-artifacts/dist/examples.json`, from which documents are
//! rendered.

use std::collections::BTreeMap;

use gateway::Registered;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The address in the recorded answers.
pub const RECORDED_URL: &str = "https://pauta.test";

/// The name of the recorded file, which is next to the rendered documents.
pub const RECORDED: &str = "examples.json";

const FILE: &str = include_str!("../../ai-artifacts/dist/examples.json");

/// The example of a message to the MCP endpoint.
pub(super) fn mcp_message() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })
}

/// An operation's example.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The fields of the operation, whether they are sent in the path, the query, a header or the body.
    pub input: Map<String, Value>,
    pub answer: Value,
}

impl Example {
    /// The path with its placeholders and query filled in.
    #[must_use]
    pub fn path(&self, operation: &Registered) -> String {
        let text = |name: &str| match &self.input.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(value) => Some(value.to_string()),
            None => None,
        };
        let mut path = operation.spec.path.to_owned();
        for name in operation.spec.placeholders() {
            let value: String = text(name)
                .map(|value| form_urlencoded::byte_serialize(value.as_bytes()).collect())
                .unwrap_or_default();
            path = path.replace(&format!("{{{name}}}"), &value);
        }
        let query = operation.spec.query_fields(operation.input_schema());
        let pairs = query.iter().filter_map(|name| Some((name, text(name)?)));
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        if query.is_empty() {
            path
        } else {
            format!("{path}?{query}")
        }
    }

    /// The fields that are sent in the body; `None` without a body.
    #[must_use]
    pub fn body(&self, operation: &Registered) -> Option<Map<String, Value>> {
        let spec = &operation.spec;
        let query = spec.query_fields(operation.input_schema());
        let elsewhere =
            |name: &str| spec.placeholders().any(|n| n == name) || query.iter().any(|n| n == name);
        spec.has_body().then(|| {
            let fields = self.input.iter().filter(|(name, _)| !elsewhere(name));
            fields.map(|(n, v)| (n.clone(), v.clone())).collect()
        })
    }
}

/// The examples, by the operation's name.
#[derive(Debug, Clone)]
pub struct Examples(BTreeMap<String, Example>);

impl Examples {
    /// The recorded examples, with this public address in them.
    #[must_use]
    pub fn read(public_url: &str) -> Self {
        let text = FILE.replace(RECORDED_URL, public_url);
        Self(serde_json::from_str(&text).expect("the suite records JSON"))
    }

    /// The example of an operation.
    #[must_use]
    pub fn of(&self, operation: &str) -> Option<&Example> {
        self.0.get(operation)
    }

    /// Every example, by the operation's name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Example)> {
        self.0.iter().map(|(name, example)| (&**name, example))
    }
}
