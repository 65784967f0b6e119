//! Dates, money and words as people read them in Brazil.

use domain::time::Millis;
use jiff::{Timestamp, tz::TimeZone};

const WEEKDAYS: [&str; 7] = ["seg", "ter", "qua", "qui", "sex", "sáb", "dom"];
const MONTHS: [&str; 12] = [
    "jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez",
];

/// A moment in Brasília time: `qui 27 nov, 10:00`.
pub(crate) fn moment(instant: Millis) -> String {
    let Ok(instant) = Timestamp::from_millisecond(instant) else {
        return String::new();
    };
    let zone = TimeZone::get("America/Sao_Paulo").unwrap_or(TimeZone::UTC);
    let at = instant.to_zoned(zone);
    let weekday = WEEKDAYS[usize::try_from(at.weekday().to_monday_zero_offset()).unwrap_or(0)];
    let month = MONTHS[usize::try_from(at.month() - 1).unwrap_or(0)];
    format!(
        "{weekday} {} {month}, {:02}:{:02}",
        at.day(),
        at.hour(),
        at.minute()
    )
}

/// The same for an instant in ISO 8601.
pub(crate) fn moment_of(iso: &str) -> String {
    iso.parse::<Timestamp>()
        .map_or_else(|_| iso.to_owned(), |at| moment(at.as_millisecond()))
}

/// A count with its thousands: `12.345`.
pub(crate) fn count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    if number < 0 {
        grouped.insert(0, '-');
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_has_its_thousands() {
        let pairs = [
            (0, "0"),
            (999, "999"),
            (1_000, "1.000"),
            (2_000_000, "2.000.000"),
            (-12_345, "-12.345"),
        ];
        for (number, text) in pairs {
            assert_eq!(count(number), text);
        }
    }
}
