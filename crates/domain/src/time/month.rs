//! Months in UTC.

use std::fmt;

use jiff::{civil::Date, tz::TimeZone};

use super::{Millis, timestamp::to_timestamp};
use crate::UnknownText;

/// A month in UTC, written as `2026_08` in table names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    year: i16,
    month: i8,
}

impl Month {
    #[must_use]
    pub fn from_instant(instant: Millis) -> Self {
        let day = to_timestamp(instant).to_zoned(TimeZone::UTC).date();
        Self {
            year: day.year(),
            month: day.month(),
        }
    }

    #[must_use]
    pub fn next(self) -> Self {
        self.plus_months(1)
    }

    /// Adds months (subtracts if negative).
    #[must_use]
    pub fn plus_months(self, months: i16) -> Self {
        let months = i32::from(self.year) * 12 + i32::from(self.month) - 1 + i32::from(months);
        Self {
            year: i16::try_from(months.div_euclid(12)).unwrap_or(self.year),
            month: i8::try_from(months.rem_euclid(12) + 1).unwrap_or(1),
        }
    }

    /// Returns the first instant of the month.
    #[must_use]
    pub fn first_instant(self) -> Millis {
        let first = Date::new(self.year, self.month, 1).unwrap_or(Date::ZERO);
        first
            .to_zoned(TimeZone::UTC)
            .map_or(0, |at| at.timestamp().as_millisecond())
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}_{:02}", self.year, self.month)
    }
}

impl std::str::FromStr for Month {
    type Err = UnknownText;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('_');
        let month = parts.and_then(|(year, month)| {
            let first = Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?;
            Some(Self {
                year: first.year(),
                month: first.month(),
            })
        });
        month.ok_or(UnknownText("Month"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_added_across_years_and_parsed() {
        let december = Month::from_instant(1_798_750_000_000);
        assert_eq!(december.to_string(), "2026_12");
        assert_eq!(december.next().to_string(), "2027_01");
        assert_eq!(december.plus_months(-24).to_string(), "2024_12");
        assert_eq!("2026_12".parse::<Month>().ok(), Some(december));
        assert!("2026_13".parse::<Month>().is_err());
        assert_eq!(
            Month::from_instant(december.next().first_instant() - 1),
            december
        );
    }
}
