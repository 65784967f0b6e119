//! Instants as RFC 3339 text in UTC.

use std::{borrow::Cow, fmt};

use jiff::fmt::temporal::DateTimePrinter;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Millis, rfc_3339::format_rfc_3339};
use crate::UnknownText;

/// An instant in the API: RFC 3339, UTC, exactly three decimals: `2026-08-22T15:00:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp(pub Millis);

/// Formats with millisecond precision.
const RFC_3339: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.format_then(|text| f.write_str(text))
    }
}

impl Timestamp {
    fn format_then<T>(self, then: impl FnOnce(&str) -> T) -> T {
        match format_rfc_3339(self.0)
            .as_ref()
            .map(|text| str::from_utf8(text))
        {
            Some(Ok(text)) => then(text),
            _ => then(&RFC_3339.timestamp_to_string(&to_timestamp(self.0))),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.format_then(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let at: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Self(at.as_millisecond()))
    }
}

impl std::str::FromStr for Timestamp {
    type Err = UnknownText;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let at: Result<jiff::Timestamp, _> = text.parse();
        at.map(|at| Self(at.as_millisecond()))
            .map_err(|_| UnknownText("Timestamp"))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

pub(super) fn to_timestamp(instant: Millis) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(instant).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}
