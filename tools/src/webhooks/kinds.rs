//! The kinds of announcements that webhooks can send.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::announcements::SENT_BY_WEBHOOKS;

/// A kind of announcement that webhooks can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct SentKind(&'static str);

impl SentKind {
    pub(super) fn as_str(self) -> &'static str {
        self.0
    }

    /// Finds the kind with this name; `None` if webhooks no longer send it.
    pub(super) fn find(name: &str) -> Option<Self> {
        let mut all = SENT_BY_WEBHOOKS.iter();
        all.find(|kind| **kind == name).map(|kind| Self(kind))
    }
}

impl<'de> Deserialize<'de> for SentKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::find(&name).ok_or_else(|| D::Error::custom("an unknown kind"))
    }
}

impl JsonSchema for SentKind {
    fn schema_name() -> Cow<'static, str> {
        "SentKind".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": SENT_BY_WEBHOOKS })
    }
}
