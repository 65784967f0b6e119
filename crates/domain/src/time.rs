//! Instants and Brasilia dates.
//!
//! Instants are milliseconds since the Unix epoch; in the API they are RFC 3339 in UTC with exactly
//! three decimals. Editorial dates are civil dates in America/Sao_Paulo.

use std::{borrow::Cow, fmt, sync::LazyLock};

use jiff::{
    civil::{Date, Time},
    fmt::temporal::DateTimePrinter,
    tz::TimeZone,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use crate::calendar_names::{WEEKDAYS, month_name, weekday_name};
use crate::{Error, Result, UnknownText, rfc_3339::rfc_3339};

/// An instant as milliseconds since the Unix epoch.
pub type Millis = i64;

pub const SECOND: Millis = 1_000;
pub const MINUTE: Millis = 60 * SECOND;
pub const HOUR: Millis = 60 * MINUTE;
pub const DAY: Millis = 24 * HOUR;

/// The time zone of editorial dates.
pub static BRASILIA: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Sao_Paulo").expect("the bundled time zone database has it")
});

/// An instant in the API: RFC 3339, UTC, exactly three decimals: `2026-08-22T15:00:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp(pub Millis);

/// Formats with millisecond precision.
const RFC_3339: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl Timestamp {
    fn with_text<T>(self, then: impl FnOnce(&str) -> T) -> T {
        match rfc_3339(self.0).as_ref().map(|text| str::from_utf8(text)) {
            Some(Ok(text)) => then(text),
            _ => then(&RFC_3339.timestamp_to_string(&to_timestamp(self.0))),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
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

fn to_timestamp(instant: Millis) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(instant).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

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
    pub fn of(instant: Millis) -> Self {
        let at = to_timestamp(instant).to_zoned(BRASILIA.clone());
        Self {
            day: at.day(),
            month: at.month(),
            year: at.year(),
            hour: format!("{:02}:{:02}", at.hour(), at.minute()),
        }
    }
}

/// The first instant of a calendar day in Brasilia; `Millis::MAX` if the day is beyond the range of
/// instants.
#[must_use]
pub fn start_of_day(date: Date) -> Millis {
    date.to_zoned(BRASILIA.clone())
        .map_or(Millis::MAX, |at| at.timestamp().as_millisecond())
}

/// The first instant after a calendar day in Brasilia.
#[must_use]
pub fn end_of_day(date: Date) -> Millis {
    date.tomorrow().map_or(Millis::MAX, start_of_day)
}

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

/// The weekday (0 is Sunday) and the hour of an instant in Brasilia.
#[must_use]
pub fn weekday_and_hour(instant: Millis) -> (i8, i8) {
    let at = to_timestamp(instant).to_zoned(BRASILIA.clone());
    (at.weekday().to_sunday_zero_offset(), at.hour())
}

/// The calendar day of an instant in Brasilia.
#[must_use]
pub fn day_of(instant: Millis) -> Date {
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

/// A month in UTC, written as `2026_08` in table names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    year: i16,
    month: i8,
}

impl Month {
    #[must_use]
    pub fn of(instant: Millis) -> Self {
        let day = to_timestamp(instant).to_zoned(TimeZone::UTC).date();
        Self {
            year: day.year(),
            month: day.month(),
        }
    }

    #[must_use]
    pub fn next(self) -> Self {
        self.plus(1)
    }

    /// Adds months (subtracts if negative).
    #[must_use]
    pub fn plus(self, months: i16) -> Self {
        let months = i32::from(self.year) * 12 + i32::from(self.month) - 1 + i32::from(months);
        Self {
            year: i16::try_from(months.div_euclid(12)).unwrap_or(self.year),
            month: i8::try_from(months.rem_euclid(12) + 1).unwrap_or(1),
        }
    }

    /// The first instant of the month.
    #[must_use]
    pub fn start(self) -> Millis {
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

/// The regular expression of a time `HH:mm`.
pub const HOUR_PATTERN: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]$";

/// The date fields that editorial operations share, in Brasilia time.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("dependentRequired" = {
    "day": ["month"], "month": ["day"], "year": ["day"], "hour": ["day"],
}))]
pub struct DateFields {
    /// Dia em Brasília, com `month`.
    #[schemars(range(min = 1, max = 31))]
    pub day: Option<i8>,
    /// Mês, com `day`.
    #[schemars(range(min = 1, max = 12))]
    pub month: Option<i8>,
    /// Ano da data; ausente, o da próxima assim.
    #[schemars(range(min = 2000, max = 9999))]
    pub year: Option<i16>,
    /// Hora `HH:mm`; ausente, 12:00 ou a atual.
    #[schemars(regex(pattern = HOUR_PATTERN))]
    pub hour: Option<String>,
}

impl DateFields {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.day.is_none() && self.month.is_none() && self.year.is_none() && self.hour.is_none()
    }

    /// The instant that the fields describe, at noon without `hour`; `None` if all fields are
    /// absent.
    ///
    /// Fails with 400 if only one of `day` and `month` is present, if `year` or `hour` is present
    /// without both of them, or if the date does not exist.
    pub fn instant(&self, now: Millis) -> Result<Option<Millis>> {
        self.instant_with_default_time(now, Time::constant(12, 0, 0, 0))
    }

    /// The new instant of a resource that may already have one: without `hour` it keeps the current
    /// time of day.
    pub fn instant_after_change(
        &self,
        now: Millis,
        current: Option<Millis>,
    ) -> Result<Option<Millis>> {
        match current {
            Some(current) => {
                let time = to_timestamp(current).to_zoned(BRASILIA.clone()).time();
                self.instant_with_default_time(now, time)
            }
            None => self.instant(now),
        }
    }

    fn instant_with_default_time(&self, now: Millis, usual: Time) -> Result<Option<Millis>> {
        let (day, month) = match (self.day, self.month) {
            (Some(day), Some(month)) => (day, month),
            (None, None) if self.year.is_none() && self.hour.is_none() => return Ok(None),
            (Some(_), None) => {
                return Err(missing_companion(
                    "month",
                    "informe `month` junto com `day`",
                ));
            }
            (None, Some(_)) => {
                return Err(missing_companion("day", "informe `day` junto com `month`"));
            }
            (None, None) => {
                return Err(missing_companion(
                    "day",
                    "informe `day` e `month` para usar `year` ou `hour`",
                ));
            }
        };
        let date = match self.year {
            Some(year) => Date::new(year, month, day).ok(),
            None => next_date(day_of(now), month, day),
        };
        let date = date
            .ok_or_else(|| Error::invalid("day", "date", "essa data não existe no calendário"))?;
        let time = match &self.hour {
            None => usual,
            Some(hour) => Time::strptime("%H:%M", hour)
                .map_err(|_| Error::invalid("hour", "format", "deve ter a forma HH:mm"))?,
        };
        let at = date
            .to_datetime(time)
            .to_zoned(BRASILIA.clone())
            .map_err(|_| Error::invalid("day", "date", "essa data não existe no calendário"))?;
        Ok(Some(at.timestamp().as_millisecond()))
    }
}

/// The next date with this month and day, today included. The next 29 February is at most eight
/// years away.
fn next_date(today: Date, month: i8, day: i8) -> Option<Date> {
    let years = today.year()..=today.year().saturating_add(8);
    let mut dates = years.filter_map(|year| Date::new(year, month, day).ok());
    dates.find(|date| *date >= today)
}

fn missing_companion(field: &str, message: &str) -> Error {
    Error::invalid(field, "dependentRequired", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_787_400_000_000; // 2026-08-22T10:00:00Z

    fn fields(day: i8, month: i8, year: Option<i16>, hour: Option<&str>) -> DateFields {
        DateFields {
            day: Some(day),
            month: Some(month),
            year,
            hour: hour.map(Into::into),
        }
    }

    #[test]
    fn brasilia_is_three_hours_behind_utc_today() {
        let at = fields(22, 8, Some(2026), Some("09:30"))
            .instant(NOW)
            .expect("valid");
        assert_eq!(
            at.map(|at| Timestamp(at).to_string()).as_deref(),
            Some("2026-08-22T12:30:00.000Z")
        );
    }

    #[test]
    fn summer_time_of_the_past_is_kept() {
        let at = fields(15, 1, Some(2018), None)
            .instant(NOW)
            .expect("valid")
            .expect("given");
        assert_eq!(Timestamp(at).to_string(), "2018-01-15T14:00:00.000Z");
        assert_eq!(LocalDate::of(at).hour, "12:00");
    }

    #[test]
    fn without_a_year_the_next_date_with_that_day_and_month_is_used() {
        for (day, month, year) in [(22, 8, 2026), (23, 8, 2026), (21, 8, 2027), (29, 2, 2028)] {
            let at = fields(day, month, None, None).instant(NOW);
            let at = LocalDate::of(at.expect("valid").expect("given"));
            assert_eq!((at.day, at.month, at.year), (day, month, year));
        }
    }

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

    #[test]
    fn a_month_is_followed_by_the_next_and_parses_its_own_text() {
        let december = Month::of(1_798_750_000_000);
        assert_eq!(december.to_string(), "2026_12");
        assert_eq!(december.next().to_string(), "2027_01");
        assert_eq!(december.plus(-24).to_string(), "2024_12");
        assert_eq!("2026_12".parse::<Month>().ok(), Some(december));
        assert!("2026_13".parse::<Month>().is_err());
        assert_eq!(Month::of(december.next().start() - 1), december);
    }

    #[test]
    fn impossible_and_partial_dates_are_refused() {
        assert!(fields(31, 2, None, None).instant(NOW).is_err());
        assert!(fields(29, 2, Some(2027), None).instant(NOW).is_err());
        assert!(fields(29, 2, Some(2028), None).instant(NOW).is_ok());
        let only = |f: fn(&mut DateFields)| {
            let mut fields = DateFields::default();
            f(&mut fields);
            fields.instant(NOW).is_err()
        };
        assert!(only(|f| f.day = Some(1)));
        assert!(only(|f| f.month = Some(1)));
        assert!(only(|f| f.year = Some(2026)));
        assert!(only(|f| f.hour = Some("10:00".into())));
        assert_eq!(
            DateFields::default().instant(NOW).expect("nothing given"),
            None
        );
    }
}
