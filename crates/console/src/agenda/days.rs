//! Days without a time: spans of them, and their names.

use domain::time::{self, month_name};
use jiff::{
    ToSpan,
    civil::{Date, date},
};

use crate::text::first_three_letters;

/// A span of days: the first and the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub from: Date,
    pub to: Date,
}

impl Span {
    pub fn single_day(day: Date) -> Self {
        Self { from: day, to: day }
    }

    /// Returns the week of a day, from Sunday to Saturday.
    pub fn week_of(day: Date) -> Self {
        let from = add_days(day, -i32::from(weekday_number(day)));
        Self {
            from,
            to: add_days(from, 6),
        }
    }

    pub fn month_of(day: Date) -> Self {
        Self {
            from: day.first_of_month(),
            to: day.last_of_month(),
        }
    }

    /// Returns the whole weeks that contain the month of a day.
    pub fn weeks_of_month(day: Date) -> Self {
        let month = Self::month_of(day);
        Self {
            from: Self::week_of(month.from).from,
            to: Self::week_of(month.to).to,
        }
    }

    /// Returns all days that the agenda can show.
    pub fn all_days() -> Self {
        Self {
            from: date(2000, 1, 1),
            to: date(9990, 12, 31),
        }
    }

    pub fn iter_days(self) -> impl Iterator<Item = Date> {
        let count = (self.to - self.from).get_days() + 1;
        (0..count).map(move |number| add_days(self.from, number))
    }
}

/// Returns the day that is this many days later, or earlier if the number is negative.
pub(super) fn add_days(day: Date, days: i32) -> Date {
    day.checked_add(days.days()).unwrap_or(day)
}

/// Returns the day that is this many months later, or earlier if the number is negative. If the target
/// month is too short, returns its last day.
pub(super) fn add_months(day: Date, months: i32) -> Date {
    day.checked_add(months.months()).unwrap_or(day)
}

/// Returns the weekday as a number. Sunday is 0.
pub(super) fn weekday_number(day: Date) -> i8 {
    day.weekday().to_sunday_zero_offset()
}

/// Returns the full name of the weekday: `terça-feira`.
pub(super) fn weekday_name(day: Date) -> &'static str {
    time::weekday_name(weekday_number(day))
}

/// Formats the month and the year: `novembro de 2026`.
pub(super) fn month_and_year(day: Date) -> String {
    format!("{} de {}", month_name(day.month()), day.year())
}

/// Formats a day in short form: `qui 27 nov`.
pub(super) fn short_day_text(day: Date) -> String {
    let weekday = first_three_letters(weekday_name(day));
    let month = first_three_letters(month_name(day.month()));
    format!("{weekday} {} {month}", day.day())
}

/// Formats a day in long form: `quinta-feira, 27 de novembro`.
pub(crate) fn long_day_text(day: Date) -> String {
    let month = month_name(day.month());
    format!("{}, {} de {month}", weekday_name(day), day.day())
}

/// Formats a span: `22 a 28 de novembro de 2026`. Repeats month and year only if they differ.
pub(super) fn span_text(span: Span) -> String {
    let Span { from, to } = span;
    let end = format!("{} de {}", to.day(), month_and_year(to));
    if from == to {
        end
    } else if from.first_of_month() == to.first_of_month() {
        format!("{} a {end}", from.day())
    } else if from.year() == to.year() {
        format!("{} de {} a {end}", from.day(), month_name(from.month()))
    } else {
        format!("{} de {} a {end}", from.day(), month_and_year(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_shown_in_whole_weeks_from_sunday() {
        let weeks = Span::weeks_of_month(date(2026, 11, 22));
        assert_eq!(
            (weeks.from, weeks.to),
            (date(2026, 11, 1), date(2026, 12, 5))
        );
        assert_eq!(weeks.iter_days().count(), 35);
        // This month is exactly four weeks.
        let weeks = Span::weeks_of_month(date(2026, 2, 1));
        assert_eq!(weeks.iter_days().count(), 28);
        assert_eq!(Span::week_of(date(2026, 11, 28)).from, date(2026, 11, 22));
        assert_eq!(
            Span::weeks_of_month(date(2027, 5, 1)).iter_days().count(),
            42
        );
    }

    #[test]
    fn days_are_named_in_portuguese() {
        assert_eq!(short_day_text(date(2026, 11, 26)), "qui 26 nov");
        assert_eq!(long_day_text(date(2026, 11, 28)), "sábado, 28 de novembro");
        let span = |from, to| span_text(Span { from, to });
        assert_eq!(
            span(date(2026, 11, 22), date(2026, 11, 28)),
            "22 a 28 de novembro de 2026"
        );
        assert_eq!(
            span(date(2026, 11, 29), date(2026, 12, 5)),
            "29 de novembro a 5 de dezembro de 2026"
        );
        assert_eq!(
            span(date(2026, 12, 27), date(2027, 1, 2)),
            "27 de dezembro de 2026 a 2 de janeiro de 2027"
        );
        assert_eq!(add_months(date(2026, 1, 31), 1), date(2026, 2, 28));
    }
}
