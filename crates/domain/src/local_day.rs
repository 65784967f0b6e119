//! Counting civil days.

use jiff::{Span, civil::Date};

use crate::time::{LocalDay, Millis, day_of};

impl LocalDay {
    pub const MAX: Self = Self(Date::MAX);

    /// The day of an instant in Brasilia.
    #[must_use]
    pub fn of(instant: Millis) -> Self {
        Self(day_of(instant))
    }

    /// The day that is `days` later, or earlier if negative. Beyond the calendar it is the last or
    /// first day.
    #[must_use]
    pub fn plus(self, days: i32) -> Self {
        Self(self.0.saturating_add(Span::new().days(days)))
    }

    /// The number of days until `last`, including both days; 0 if `last` is earlier.
    #[must_use]
    pub fn through(self, last: Self) -> i64 {
        let between = last.0.since(self.0).map_or(-1, |span| span.get_days());
        i64::from(between + 1).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_days_of_a_period_count() {
        let day = |text: &str| LocalDay(text.parse().expect("a day"));
        assert_eq!(day("2026-02-27").through(day("2026-03-01")), 3);
        assert_eq!(day("2026-03-01").through(day("2026-03-01")), 1);
        assert_eq!(day("2026-03-02").through(day("2026-03-01")), 0);
        assert_eq!(day("2026-02-27").plus(2), day("2026-03-01"));
        assert_eq!(LocalDay::MAX.plus(1), LocalDay::MAX);
    }
}
