//! The fields that state a date in the input of an editorial operation.

use jiff::civil::{Date, Time};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Millis,
    brasilia::{BRASILIA, brasilia_day},
    timestamp::to_timestamp,
};
use crate::{Error, Result};

/// The regular expression of a time `HH:mm`.
pub const HOUR_PATTERN: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]$";

/// The date fields that editorial operations share, in Brasilia time.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("dependentRequired" = {
    "day": ["month"], "month": ["day"], "year": ["day"], "hour": ["day"],
}))]
pub struct DateFields {
    /// Dia, com `month`.
    #[schemars(range(min = 1, max = 31))]
    pub day: Option<i8>,
    /// Mês, com `day`.
    #[schemars(range(min = 1, max = 12))]
    pub month: Option<i8>,
    /// Ausente, a próxima data.
    #[schemars(range(min = 2000, max = 9999))]
    pub year: Option<i16>,
    /// `HH:mm` de Brasília; ausente, 12:00 ou a atual.
    #[schemars(regex(pattern = HOUR_PATTERN))]
    pub hour: Option<String>,
}

impl DateFields {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.day.is_none() && self.month.is_none() && self.year.is_none() && self.hour.is_none()
    }

    /// Returns the instant that the fields describe; `None` if all fields are absent. Without
    /// `hour`, the time is noon.
    ///
    /// Fails with 400 if only one of `day` and `month` is present, if `year` or `hour` is present
    /// without both of them, or if the date does not exist.
    pub fn to_instant(&self, now: Millis) -> Result<Option<Millis>> {
        self.instant_with_default_time(now, Time::constant(12, 0, 0, 0))
    }

    /// Returns the new instant of a resource. If `hour` is absent and the resource already has an
    /// instant, its time of day is kept.
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
            None => self.to_instant(now),
        }
    }

    fn instant_with_default_time(&self, now: Millis, usual: Time) -> Result<Option<Millis>> {
        let (day, month) = match (self.day, self.month) {
            (Some(day), Some(month)) => (day, month),
            (None, None) if self.year.is_none() && self.hour.is_none() => return Ok(None),
            (Some(_), None) => {
                return Err(missing_companion_error(
                    "month",
                    "informe `month` junto com `day`",
                ));
            }
            (None, Some(_)) => {
                return Err(missing_companion_error(
                    "day",
                    "informe `day` junto com `month`",
                ));
            }
            (None, None) => {
                return Err(missing_companion_error(
                    "day",
                    "informe `day` e `month` para usar `year` ou `hour`",
                ));
            }
        };
        let date = match self.year {
            Some(year) => Date::new(year, month, day).ok(),
            None => next_date(brasilia_day(now), month, day),
        };
        let date = date.ok_or_else(|| {
            Error::invalid_field("day", "date", "essa data não existe no calendário")
        })?;
        let time = match &self.hour {
            None => usual,
            Some(hour) => Time::strptime("%H:%M", hour)
                .map_err(|_| Error::invalid_field("hour", "format", "deve ter a forma HH:mm"))?,
        };
        let at = date
            .to_datetime(time)
            .to_zoned(BRASILIA.clone())
            .map_err(|_| {
                Error::invalid_field("day", "date", "essa data não existe no calendário")
            })?;
        Ok(Some(at.timestamp().as_millisecond()))
    }
}

/// Returns the next date with this month and day, today included. The next 29 February is at most eight
/// years away.
fn next_date(today: Date, month: i8, day: i8) -> Option<Date> {
    let years = today.year()..=today.year().saturating_add(8);
    let mut dates = years.filter_map(|year| Date::new(year, month, day).ok());
    dates.find(|date| *date >= today)
}

fn missing_companion_error(field: &str, message: &str) -> Error {
    Error::invalid_field(field, "dependentRequired", message)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{LocalDate, Timestamp},
        *,
    };

    const NOW: Millis = 1_787_400_000_000; // 2026-08-22T10:00:00Z

    fn date_fields(day: i8, month: i8, year: Option<i16>, hour: Option<&str>) -> DateFields {
        DateFields {
            day: Some(day),
            month: Some(month),
            year,
            hour: hour.map(Into::into),
        }
    }

    #[test]
    fn brasilia_is_three_hours_behind_utc_today() {
        let at = date_fields(22, 8, Some(2026), Some("09:30"))
            .to_instant(NOW)
            .expect("valid");
        assert_eq!(
            at.map(|at| Timestamp(at).to_string()).as_deref(),
            Some("2026-08-22T12:30:00.000Z")
        );
    }

    #[test]
    fn past_daylight_saving_time_is_applied() {
        let at = date_fields(15, 1, Some(2018), None)
            .to_instant(NOW)
            .expect("valid")
            .expect("a date");
        assert_eq!(Timestamp(at).to_string(), "2018-01-15T14:00:00.000Z");
        assert_eq!(LocalDate::from_instant(at).hour, "12:00");
    }

    #[test]
    fn without_a_year_the_next_date_with_that_day_and_month_is_used() {
        for (day, month, year) in [(22, 8, 2026), (23, 8, 2026), (21, 8, 2027), (29, 2, 2028)] {
            let at = date_fields(day, month, None, None).to_instant(NOW);
            let at = LocalDate::from_instant(at.expect("valid").expect("a date"));
            assert_eq!((at.day, at.month, at.year), (day, month, year));
        }
    }

    #[test]
    fn impossible_and_partial_dates_are_refused() {
        assert!(date_fields(31, 2, None, None).to_instant(NOW).is_err());
        assert!(
            date_fields(29, 2, Some(2027), None)
                .to_instant(NOW)
                .is_err()
        );
        assert!(date_fields(29, 2, Some(2028), None).to_instant(NOW).is_ok());
        let is_refused_alone = |f: fn(&mut DateFields)| {
            let mut fields = DateFields::default();
            f(&mut fields);
            fields.to_instant(NOW).is_err()
        };
        assert!(is_refused_alone(|f| f.day = Some(1)));
        assert!(is_refused_alone(|f| f.month = Some(1)));
        assert!(is_refused_alone(|f| f.year = Some(2026)));
        assert!(is_refused_alone(|f| f.hour = Some("10:00".into())));
        assert_eq!(
            DateFields::default()
                .to_instant(NOW)
                .expect("no date field"),
            None
        );
    }
}
