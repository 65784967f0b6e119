//! Names of platforms, chosen by the team.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The name of a platform: 1–64 characters of `A-Z a-z 0-9 . _ -`, the first a letter or a digit.
/// The published schema rejects anything else.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlatformId(String);

impl PlatformId {
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

impl From<&str> for PlatformId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl JsonSchema for PlatformId {
    fn schema_name() -> Cow<'static, str> {
        "PlatformId".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        if generator.contract().is_serialize() {
            return String::json_schema(generator);
        }
        json_schema!({ "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" })
    }
}
