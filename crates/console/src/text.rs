//! Formats dates, counts and words for people in Brazil.

use domain::time::{BRASILIA, Millis, month_name};
use jiff::{Timestamp, Zoned};
use maud::{Markup, html};

const WEEKDAYS: [&str; 7] = ["seg", "ter", "qua", "qui", "sex", "sáb", "dom"];

/// Formats an instant in Brasília time: `qui 27 nov, 10:00`.
pub(crate) fn format_moment(instant: Millis) -> String {
    let Ok(instant) = Timestamp::from_millisecond(instant) else {
        return String::new();
    };
    let at = to_local(instant);
    let weekday = WEEKDAYS[usize::try_from(at.weekday().to_monday_zero_offset()).unwrap_or(0)];
    let month = first_three_letters(month_name(at.month()));
    format!(
        "{weekday} {} {month}, {:02}:{:02}",
        at.day(),
        at.hour(),
        at.minute()
    )
}

/// Returns the first three letters of a name: `nov`, `sáb`.
pub(crate) fn first_three_letters(name: &str) -> String {
    name.chars().take(3).collect()
}

/// Returns the name of a guest with the word for guests, as the team's pages show it.
pub(crate) fn guest_name(name: &str) -> String {
    format!("{name} (convidado)")
}

/// Returns the text with a capital first letter.
pub(crate) fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let first: String = first.collect();
    first + letters.as_str()
}

/// Formats an ISO 8601 instant like [`format_moment`].
pub(crate) fn format_iso_moment(iso: &str) -> String {
    iso.parse::<Timestamp>()
        .map_or_else(|_| iso.to_owned(), |at| format_moment(at.as_millisecond()))
}

/// Draws an ISO 8601 instant as a `time` element.
pub(crate) fn time_tag(iso: &str) -> Markup {
    html! { time datetime=(iso) { (format_iso_moment(iso)) } }
}

/// Formats an ISO 8601 instant to the second, in Brasília time: `27/11/2026 10:00:05`.
pub(crate) fn format_iso_seconds(iso: &str) -> String {
    parse_local(iso).map_or_else(
        || iso.to_owned(),
        |at| at.strftime("%d/%m/%Y %H:%M:%S").to_string(),
    )
}

/// Formats the day of an ISO 8601 instant, in Brasília time: `27/11/2026`.
pub(crate) fn format_iso_day(iso: &str) -> String {
    parse_local(iso).map_or_else(|| iso.to_owned(), |at| at.strftime("%d/%m/%Y").to_string())
}

/// Formats the time of day of an ISO 8601 instant, in Brasília time: `10:00`.
pub(crate) fn format_iso_hour(iso: &str) -> String {
    parse_local(iso).map_or_else(|| iso.to_owned(), |at| at.strftime("%H:%M").to_string())
}

/// Formats the day of an ISO 8601 instant in words, in Brasília time: `27 de novembro de 2026`.
pub(crate) fn format_iso_long_day(iso: &str) -> String {
    parse_local(iso).map_or_else(
        || iso.to_owned(),
        |at| {
            format!(
                "{} de {} de {}",
                at.day(),
                month_name(at.month()),
                at.year()
            )
        },
    )
}

fn parse_local(iso: &str) -> Option<Zoned> {
    iso.parse().ok().map(to_local)
}

fn to_local(instant: Timestamp) -> Zoned {
    instant.to_zoned(BRASILIA.clone())
}

/// Formats a count with thousands separators: `12.345`.
pub(crate) fn format_count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    if number < 0 {
        grouped.insert(0, '−');
    }
    grouped
}

/// Formats a second of a video: `1:05`.
pub(crate) fn format_second(second: f64) -> String {
    let whole = second.max(0.0).floor();
    format!("{}:{:02}", (whole / 60.0).floor(), whole % 60.0)
}

/// Returns the first letters of a person's first and last name.
pub(crate) fn initials(name: &str) -> String {
    let mut words = name.split_whitespace();
    let first = words.next().and_then(|word| word.chars().next());
    let last = words.next_back().and_then(|word| word.chars().next());
    first
        .into_iter()
        .chain(last)
        .flat_map(char::to_uppercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_come_from_the_first_and_last_name() {
        assert_eq!(initials("Ana Maria de Souza"), "AS");
        assert_eq!(initials("érica"), "É");
        assert_eq!(initials("  "), "");
    }

    #[test]
    fn instants_are_shown_in_brasilia_time() {
        assert_eq!(
            format_iso_seconds("2026-11-23T02:30:05.000Z"),
            "22/11/2026 23:30:05"
        );
        assert_eq!(format_iso_day("2026-11-23T02:30:05.000Z"), "22/11/2026");
        assert_eq!(format_iso_day("ontem"), "ontem");
        assert_eq!(
            format_iso_long_day("2026-11-23T02:30:05.000Z"),
            "22 de novembro de 2026"
        );
    }

    #[test]
    fn a_count_has_thousands_separators() {
        let pairs = [
            (0, "0"),
            (999, "999"),
            (1_000, "1.000"),
            (2_000_000, "2.000.000"),
            (-12_345, "−12.345"),
        ];
        for (number, text) in pairs {
            assert_eq!(format_count(number), text);
        }
    }

    #[test]
    fn a_second_is_written_as_minutes_and_seconds() {
        for (second, written) in [
            (0.0, "0:00"),
            (12.5, "0:12"),
            (65.0, "1:05"),
            (3600.9, "60:00"),
        ] {
            assert_eq!(format_second(second), written);
        }
    }
}
