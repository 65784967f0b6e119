//! The whole months of a span of days.

use domain::time::LocalDay;
use sea_orm::Value;

use super::read::{Days, day_parameters};

/// Returns the month of a day as text, `YYYY-MM`.
pub(crate) fn month_text(day: LocalDay) -> String {
    let (year, month) = (day.0.year(), day.0.month());
    format!("{year:04}-{month:02}")
}

/// The whole months of a span, and the bounds of the days before and after them.
pub(super) struct Months {
    pub first: String,
    /// The first month after the whole months.
    pub after: String,
    head_until: LocalDay,
    tail_from: LocalDay,
}

impl Months {
    /// Returns the span as parameters. Its whole months are `month >= $3 AND month < $4`; the days
    /// before them are `day >= $1 AND day < $5`, and the days after them `day >= $6 AND day <= $2`.
    pub fn to_parameters(days: Days) -> [Value; 6] {
        let [first, last] = day_parameters(days);
        let whole = Self::from_days(days);
        [
            first,
            last,
            whole.first.into(),
            whole.after.into(),
            whole.head_until.0.to_string().into(),
            whole.tail_from.0.to_string().into(),
        ]
    }

    /// Returns the days of the span outside the whole months, at most 60.
    pub fn days_around(&self, (first, last): Days) -> Vec<String> {
        let from = |day: LocalDay| {
            let next = |day: &LocalDay| day.0.tomorrow().ok().map(LocalDay);
            std::iter::successors(Some(day), next)
        };
        let head = from(first).take_while(|day| *day < self.head_until);
        let tail = from(self.tail_from).take_while(|day| *day <= last);
        head.chain(tail).map(|day| day.0.to_string()).collect()
    }

    pub fn from_days((first, last): Days) -> Self {
        let beginning = |day: LocalDay| LocalDay(day.0.first_of_month());
        let following = |day: LocalDay| {
            let next = day.0.last_of_month().tomorrow();
            next.map_or(beginning(day), LocalDay)
        };
        let is_whole = last.0 == last.0.last_of_month();
        let from = if first.0.day() == 1 {
            first
        } else {
            following(first)
        };
        let until = if is_whole {
            following(last)
        } else {
            beginning(last)
        };
        if from >= until {
            // There is no whole month, so all days are in the tail.
            return Self {
                first: month_text(from),
                after: month_text(from),
                head_until: first,
                tail_from: first,
            };
        }
        Self {
            first: month_text(from),
            after: month_text(until),
            head_until: from,
            tail_from: until,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_splits_into_whole_months_and_the_days_around_them() {
        let day = |text: &str| LocalDay(text.parse().expect("a day"));
        for (first, last, expected) in [
            (
                "2025-11-22",
                "2026-11-22",
                ["2025-12", "2026-11", "2025-12-01", "2026-11-01"],
            ),
            (
                "2026-01-01",
                "2026-12-31",
                ["2026-01", "2027-01", "2026-01-01", "2027-01-01"],
            ),
            (
                "2026-02-01",
                "2026-02-28",
                ["2026-02", "2026-03", "2026-02-01", "2026-03-01"],
            ),
            (
                "2026-02-02",
                "2026-02-28",
                ["2026-03", "2026-03", "2026-02-02", "2026-02-02"],
            ),
            (
                "2026-02-02",
                "2026-03-30",
                ["2026-03", "2026-03", "2026-02-02", "2026-02-02"],
            ),
            (
                "2026-02-01",
                "2026-02-27",
                ["2026-02", "2026-02", "2026-02-01", "2026-02-01"],
            ),
            (
                "9999-11-30",
                "9999-12-31",
                ["9999-12", "9999-12", "9999-11-30", "9999-11-30"],
            ),
        ] {
            let span = (day(first), day(last));
            let months = Months::from_days(span);
            let around = months.days_around(span);
            assert!(around.len() <= 60 && around.is_sorted(), "{around:?}");
            let found = [
                months.first,
                months.after,
                months.head_until.0.to_string(),
                months.tail_from.0.to_string(),
            ];
            assert_eq!(found, expected, "{first} {last}");
        }
    }
}
