//! The compare-and-set token of resources without a revision number: the time of the last write.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::time::Millis;
use crate::NULLABLE;

/// The `updated_at` that the caller read last.
///
/// An instant that the service never writes, because it is finer than a millisecond or out of
/// range, matches no resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateToken(Option<Millis>);

impl UpdateToken {
    /// Returns the instant to compare with `updated_at`. For a text that the service never writes,
    /// returns an instant that no row has.
    #[must_use]
    pub fn instant(self) -> Millis {
        self.0.unwrap_or(Millis::MIN)
    }
}

impl<'de> Deserialize<'de> for UpdateToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let instant = text.parse::<jiff::Timestamp>().ok();
        let whole = instant.filter(|at| at.subsec_nanosecond() % 1_000_000 == 0);
        Ok(Self(whole.map(jiff::Timestamp::as_millisecond)))
    }
}

impl JsonSchema for UpdateToken {
    fn schema_name() -> Cow<'static, str> {
        "UpdateToken".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A required token; null means that the resource must not exist yet.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub struct ExpectedUpdate(pub Option<UpdateToken>);

impl JsonSchema for ExpectedUpdate {
    fn schema_name() -> Cow<'static, str> {
        "ExpectedUpdate".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "null"], "format": "date-time", (NULLABLE): true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> UpdateToken {
        serde_json::from_value(text.into()).expect("every text deserialises to a token")
    }

    #[test]
    fn every_notation_of_an_instant_is_the_same_token() {
        let token = parse("2026-08-22T15:00:00.120Z");
        assert_eq!(token.instant(), 1_787_410_800_120);
        for same in [
            "2026-08-22T15:00:00.12Z",
            "2026-08-22t15:00:00.120000z",
            "2026-08-22T12:00:00.120-03:00",
        ] {
            assert_eq!(parse(same), token, "{same}");
        }
    }

    #[test]
    fn an_instant_finer_than_a_millisecond_matches_no_row() {
        for other in [
            "2026-08-22T15:00:00.1201Z",
            "2026-08-22T15:00:00.120000001Z",
            "x",
        ] {
            assert_eq!(parse(other).instant(), Millis::MIN, "{other}");
        }
    }
}
