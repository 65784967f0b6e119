//! Formats instants as RFC 3339 text. Speed matters, because responses contain many instants.

use super::{DAY, HOUR, MINUTE, SECOND};

/// The number of days from 1 March of year 0 to the Unix epoch.
const EPOCH: i64 = 719_468;
/// The number of days in 400 years.
const ERA: i64 = 146_097;
/// The days that this module can format, relative to the Unix epoch: the year has four digits, and
/// the calendar contains the whole day.
const WRITTEN: std::ops::RangeInclusive<i64> = -719_528..=2_932_894;

/// Formats an instant (milliseconds since the epoch) in UTC; `None` outside `WRITTEN`.
pub(crate) fn format_rfc_3339(at: i64) -> Option<[u8; 24]> {
    let (days, time) = (at.div_euclid(DAY), at.rem_euclid(DAY));
    if !WRITTEN.contains(&days) {
        return None;
    }
    // Years are counted from March, so that the leap day is the last day of the year.
    let days = days + EPOCH;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);

    let mut text = *b"0000-00-00T00:00:00.000Z";
    write_digits(&mut text[..4], year);
    write_digits(&mut text[5..7], month);
    write_digits(&mut text[8..10], day);
    write_digits(&mut text[11..13], time / HOUR);
    write_digits(&mut text[14..16], time % HOUR / MINUTE);
    write_digits(&mut text[17..19], time % MINUTE / SECOND);
    write_digits(&mut text[20..23], time % SECOND);
    Some(text)
}

/// Writes the last `zeros.len()` decimal digits of the number into a text of zeros.
fn write_digits(zeros: &mut [u8], mut number: i64) {
    for digit in zeros.iter_mut().rev() {
        *digit += u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use jiff::fmt::temporal::DateTimePrinter;

    use super::*;

    #[test]
    fn every_day_is_formatted_as_by_the_calendar_library() {
        let printer = DateTimePrinter::new().precision(Some(3));
        for day in WRITTEN {
            let at = day * DAY + day.rem_euclid(1_000) * 86_399 + 17;
            let calendar = jiff::Timestamp::from_millisecond(at).expect("an instant");
            let text = format_rfc_3339(at).expect("a year of four digits");
            let text = std::str::from_utf8(&text).expect("ASCII");
            assert_eq!(text, printer.timestamp_to_string(&calendar));
        }
        for day in [WRITTEN.start() - 1, WRITTEN.end() + 1] {
            assert_eq!(format_rfc_3339(day * DAY), None);
        }
    }
}
