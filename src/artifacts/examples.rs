//! One example per operation: its input and its recorded output.
//!
//! The inputs are written by hand, one file per operation in `ai-artifacts/examples`. They refer to
//! resources that [`crate::cli::demo::examples`] inserts into every demo. The test suite runs all
//! of them and records inputs and outputs in `ai-artifacts/dist/examples.json`, from which the
//! documents are rendered.

use std::collections::BTreeMap;

use gateway::Registered;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The public URL in the recorded outputs.
pub const RECORDED_URL: &str = "https://pauta.test";

/// The name of the file with the recorded examples, next to the rendered documents.
pub const RECORDED: &str = "examples.json";

const FILE: &str = include_str!("../../ai-artifacts/dist/examples.json");

/// Returns an example message to the MCP endpoint.
pub(super) fn mcp_message() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })
}

/// The input of a call and its output.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// All input fields, whether they are sent in the path, the query, a header or the body.
    pub input: Map<String, Value>,
    pub answer: Value,
}

impl Example {
    /// Returns the URL path and query with the example's values.
    #[must_use]
    pub fn request_path(&self, operation: &Registered) -> String {
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

    /// Returns the fields of the request body; `None` if the operation has no body.
    #[must_use]
    pub fn body_fields(&self, operation: &Registered) -> Option<Map<String, Value>> {
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

/// All examples, by operation name.
#[derive(Debug, Clone)]
pub struct Examples(BTreeMap<String, Example>);

impl Examples {
    /// Reads the recorded examples, with the recorded URL replaced by `public_url`.
    #[must_use]
    pub fn read_recorded(public_url: &str) -> Self {
        let text = FILE.replace(RECORDED_URL, public_url);
        Self(serde_json::from_str(&text).expect("the recorded examples are valid JSON"))
    }

    /// Finds the example of an operation, by its name.
    #[must_use]
    pub fn find_example(&self, operation: &str) -> Option<&Example> {
        self.0.get(operation)
    }

    /// Iterates over operation names and examples.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Example)> {
        self.0.iter().map(|(name, example)| (&**name, example))
    }
}
