//! The calendar of Brasilia. Editorial dates are dates in this calendar.

use std::{fmt, sync::LazyLock};

use jiff::{
    civil::{Date, Time},
    tz::TimeZone,
};

use super::{MINUTE, Millis, SECOND, timestamp::to_timestamp};

/// The time zone of editorial dates.
pub static BRASILIA: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Sao_Paulo").expect("the bundled time zone database has this zone")
});

/// The date and time of an instant in Brasilia.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalDate {
    pub day: i8,
    pub month: i8,
    pub year: i16,
    /// The time as `HH:mm`.
    pub hour: String,
}

impl LocalDate {
    #[must_use]
    pub fn from_instant(instant: Millis) -> Self {
        let at = to_timestamp(instant).to_zoned(BRASILIA.clone());
        Self {
            day: at.day(),
            month: at.month(),
            year: at.year(),
            hour: format!("{:02}:{:02}", at.hour(), at.minute()),
        }
    }
}

impl fmt::Display for LocalDate {
    /// Writes `31/12/2026 12:00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            day,
            month,
            year,
            hour,
        } = self;
        write!(f, "{day:02}/{month:02}/{year} {hour}")
    }
}

/// Returns the first instant of a calendar day in Brasilia; `Millis::MAX` if the day is beyond the
/// range of instants.
#[must_use]
pub fn start_of_day(date: Date) -> Millis {
    date.to_zoned(BRASILIA.clone())
        .map_or(Millis::MAX, |at| at.timestamp().as_millisecond())
}

/// Returns the first instant after a calendar day in Brasilia.
#[must_use]
pub fn end_of_day(date: Date) -> Millis {
    date.tomorrow().map_or(Millis::MAX, start_of_day)
}

/// Returns the weekday (0 is Sunday) and the hour of an instant in Brasilia.
#[must_use]
pub fn weekday_and_hour(instant: Millis) -> (i8, i8) {
    let at = to_timestamp(instant).to_zoned(BRASILIA.clone());
    (at.weekday().to_sunday_zero_offset(), at.hour())
}

/// Returns the beginning of the hour of an instant in Brasilia.
#[must_use]
pub fn hour_start(instant: Millis) -> Millis {
    let at = to_timestamp(instant).to_zoned(BRASILIA.clone());
    let into_hour = i64::from(at.minute()) * MINUTE + i64::from(at.second()) * SECOND;
    instant - into_hour - i64::from(at.millisecond())
}

/// Returns the calendar day of an instant in Brasilia.
#[must_use]
pub fn brasilia_day(instant: Millis) -> Date {
    to_timestamp(instant).to_zoned(BRASILIA.clone()).date()
}

/// Parses a calendar day: `2026-08-22` or `22/08/2026`.
#[must_use]
pub fn parse_day(text: &str) -> Option<Date> {
    let mut parts = text.split('/');
    let parts = (parts.next(), parts.next(), parts.next(), parts.next());
    if let (Some(day), Some(month), Some(year), None) = parts {
        let is_whole = day.len() == 2 && month.len() == 2 && year.len() == 4;
        let (day, month, year) = (day.parse().ok()?, month.parse().ok()?, year.parse().ok()?);
        return is_whole.then(|| Date::new(year, month, day).ok())?;
    }
    let is_whole = text.len() == 10 && text.bytes().filter(|byte| *byte == b'-').count() == 2;
    is_whole.then(|| text.parse().ok())?
}

/// Parses an instant: RFC 3339, or a day in Brasilia with or without a time.
#[must_use]
pub fn parse_instant(text: &str) -> Option<Millis> {
    // In RFC 3339 the year comes first, so the third character is never a slash.
    if text.as_bytes().get(2) != Some(&b'/')
        && let Ok(at) = text.parse::<jiff::Timestamp>()
    {
        return Some(at.as_millisecond());
    }
    let (day, time) = match text.split_once([' ', 'T']) {
        None => (text, Time::midnight()),
        Some((day, time)) => {
            let plain = |c: char| c.is_ascii_digit() || c == ':';
            let is_plain = matches!(time.len(), 5 | 8) && time.chars().all(plain);
            (day, is_plain.then(|| time.parse().ok())??)
        }
    };
    let at = parse_day(day)?.to_datetime(time).to_zoned(BRASILIA.clone());
    at.ok().map(|at| at.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_without_a_zone_are_in_brasilia() {
        let noon = parse_instant("2026-08-22T15:00:00Z");
        assert!(noon.is_some());
        for text in [
            "2026-08-22T12:00:00-03:00",
            "2026-08-22 12:00",
            "2026-08-22T12:00:00",
            "22/08/2026 12:00",
            "22/08/2026 12:00:00",
        ] {
            assert_eq!(parse_instant(text), noon, "{text}");
        }
        // Daylight-saving time was in use until 2019.
        assert_eq!(
            parse_instant("15/01/2018"),
            parse_instant("2018-01-15T02:00:00Z")
        );
        for text in [
            "",
            "22/8/2026",
            "22/08/26",
            "2026-08-32",
            "2026-08-22 25:00",
            "08/22/2026",
            "2026-08-22 12",
            "agosto",
            "20260822",
        ] {
            assert_eq!(parse_instant(text), None, "{text}");
        }
    }
}
