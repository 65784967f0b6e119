//! Names of e-mail templates, chosen by their authors.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The name of an e-mail template: 1–200 characters of `A-Z a-z 0-9 . _ : ~ -`. The published
/// schema rejects anything else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TemplateId(String);

impl TemplateId {
    /// Wraps a name from the database, unchanged; `None` for an empty text.
    #[must_use]
    pub fn from_stored(text: String) -> Option<Self> {
        (!text.is_empty()).then_some(Self(text))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for TemplateId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl JsonSchema for TemplateId {
    fn schema_name() -> Cow<'static, str> {
        "TemplateId".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        if generator.contract().is_serialize() {
            return String::json_schema(generator);
        }
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[A-Za-z0-9._:~-]+$",
        })
    }
}
