//! Instants as text in Brasilia time.

use std::{borrow::Cow, fmt};

use jiff::fmt::temporal::DateTimePrinter;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::{BRASILIA, Millis};

/// An instant as RFC 3339 in Brasilia time, to the second: `2026-08-22T12:00:00-03:00`. Responses
/// contain it next to the UTC `Timestamp` of the same instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrasiliaTime(pub Millis);

const RFC_3339: DateTimePrinter = DateTimePrinter::new().precision(Some(0));

impl fmt::Display for BrasiliaTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = jiff::Timestamp::from_millisecond(self.0);
        let at = at.unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        f.write_str(&RFC_3339.timestamp_with_offset_to_string(&at, BRASILIA.to_offset(at)))
    }
}

impl Serialize for BrasiliaTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for BrasiliaTime {
    fn schema_name() -> Cow<'static, str> {
        "BrasiliaTime".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_with_the_offset_of_its_day() {
        for (instant, text) in [
            (1_787_410_800_999, "2026-08-22T12:00:00-03:00"),
            // This date was in daylight-saving time.
            (1_546_300_800_000, "2018-12-31T22:00:00-02:00"),
        ] {
            assert_eq!(BrasiliaTime(instant).to_string(), text);
        }
    }
}
