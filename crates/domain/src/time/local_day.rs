//! Calendar days.

use std::borrow::Cow;

use jiff::{Span, civil::Date};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{Millis, brasilia::brasilia_day};

/// A calendar day, as text `AAAA-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LocalDay(pub Date);

impl JsonSchema for LocalDay {
    fn schema_name() -> Cow<'static, str> {
        "LocalDay".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date" })
    }
}

impl LocalDay {
    pub const MAX: Self = Self(Date::MAX);

    /// Returns the calendar day of an instant in Brasilia.
    #[must_use]
    pub fn from_instant(instant: Millis) -> Self {
        Self(brasilia_day(instant))
    }

    /// Adds days (subtracts if negative). The result is clamped to the range of the calendar.
    #[must_use]
    pub fn plus_days(self, days: i32) -> Self {
        Self(self.0.saturating_add(Span::new().days(days)))
    }

    /// Returns the number of days from this day to `last`, both included; 0 if `last` is earlier.
    #[must_use]
    pub fn days_through(self, last: Self) -> i64 {
        let between = last.0.since(self.0).map_or(-1, |span| span.get_days());
        i64::from(between + 1).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_includes_its_first_and_last_day() {
        let day = |text: &str| LocalDay(text.parse().expect("a day"));
        assert_eq!(day("2026-02-27").days_through(day("2026-03-01")), 3);
        assert_eq!(day("2026-03-01").days_through(day("2026-03-01")), 1);
        assert_eq!(day("2026-03-02").days_through(day("2026-03-01")), 0);
        assert_eq!(day("2026-02-27").plus_days(2), day("2026-03-01"));
        assert_eq!(LocalDay::MAX.plus_days(1), LocalDay::MAX);
    }
}
