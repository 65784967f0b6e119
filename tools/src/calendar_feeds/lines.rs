//! Writes iCalendar text (RFC 5545).
//!
//! The crate `icalendar` was evaluated and not used. Its version 0.17 does not escape a lone CR, other
//! control characters or the value of `NAME`, so a text could begin a new property line. The crate has
//! no builder for `VTIMEZONE`.

use domain::time::{Millis, Timestamp};

/// The maximum length of a line in bytes, without the line break (RFC 5545, section 3.1).
const LINE: usize = 75;

/// A calendar object that is being written.
#[derive(Default)]
pub(super) struct Lines(String);

impl Lines {
    /// Writes a property whose value needs no escaping. A long line is folded.
    pub fn push(&mut self, name: &str, value: &str) {
        let line = format!("{name}:{value}");
        let mut rest = line.as_str();
        let mut space = LINE;
        while rest.len() > space {
            let end = rest.floor_char_boundary(space);
            let (folded, after) = rest.split_at(end);
            self.0.push_str(folded);
            self.0.push_str("\r\n ");
            rest = after;
            // The space at the start of a continuation line counts as part of that line.
            space = LINE - 1;
        }
        self.0.push_str(rest);
        self.0.push_str("\r\n");
    }

    /// Writes a property of the type TEXT.
    pub fn push_text(&mut self, name: &str, text: &str) {
        self.push(name, &escape_text(text));
    }

    /// Writes a property that is a list of texts.
    pub fn push_texts<'t>(&mut self, name: &str, texts: impl Iterator<Item = &'t str>) {
        let texts: Vec<String> = texts.map(escape_text).collect();
        if !texts.is_empty() {
            self.push(name, &texts.join(","));
        }
    }

    /// Writes an instant in UTC.
    pub fn push_instant(&mut self, name: &str, at: Millis) {
        self.push(name, &format_instant(at));
    }

    pub fn into_text(self) -> String {
        self.0
    }
}

/// Escapes a text (RFC 5545, section 3.3.11). Every kind of line break is written as `\n`. Other control
/// characters are left out, because the format does not allow them.
fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' | ';' | ',' => escaped.extend(['\\', letter]),
            '\r' if letters.peek() == Some(&'\n') => {}
            // Some programs also end a line at the characters after `\n`.
            '\r' | '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                escaped.push_str("\\n");
            }
            '\t' => escaped.push('\t'),
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Formats an instant in UTC: `20261128T150000Z`.
fn format_instant(at: Millis) -> String {
    let text = Timestamp(at).to_string();
    let seconds = text.split_once('.').map_or(&*text, |(seconds, _)| seconds);
    format!("{}Z", seconds.replace(['-', ':'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfold(text: &str) -> String {
        text.replace("\r\n ", "")
    }

    #[test]
    fn lines_are_folded_between_characters_at_75_bytes() {
        for padding in 0..80 {
            let value = format!("{}{}", "a".repeat(padding), "é🎂ש\u{202e}".repeat(40));
            let mut lines = Lines::default();
            lines.push("SUMMARY", &value);
            let text = lines.into_text();
            let longest = text.split("\r\n").map(str::len).max();
            assert!(longest.is_some_and(|longest| (72..=75).contains(&longest)));
            assert_eq!(unfold(&text), format!("SUMMARY:{value}\r\n"));
        }
    }

    #[test]
    fn a_line_of_exactly_75_bytes_is_not_folded() {
        for (length, lines_expected) in [(74, 1), (75, 1), (76, 2), (149, 2), (150, 3)] {
            let mut lines = Lines::default();
            lines.push("X", &"a".repeat(length - 2));
            let text = lines.into_text();
            assert_eq!(text.matches("\r\n").count(), lines_expected, "{length}");
        }
    }

    #[test]
    fn texts_are_escaped_and_cannot_begin_a_property() {
        for (text, escaped) in [
            ("a,b;c\\d:e", "a\\,b\\;c\\\\d:e"),
            ("uma\nduas\r\ntrês\rquatro", "uma\\nduas\\ntrês\\nquatro"),
            (
                "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f",
                "a\\nb\\nc\\nd\\ne\\nf",
            ),
            ("\u{0}\u{7}\u{7f}\u{1b}[31mx\t", "[31mx\t"),
            ("\u{202e}שלום\u{200f} 🍞", "\u{202e}שלום\u{200f} 🍞"),
            ("x\r\nEND:VEVENT", "x\\nEND:VEVENT"),
        ] {
            assert_eq!(escape_text(text), escaped);
        }
    }

    #[test]
    fn instants_are_in_utc_without_fractions() {
        assert_eq!(format_instant(1_787_410_800_999), "20260822T150000Z");
        assert_eq!(format_instant(0), "19700101T000000Z");
    }
}
