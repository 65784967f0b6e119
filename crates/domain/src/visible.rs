//! Validates that a text contains a visible character.

use std::{fmt::Write, sync::LazyLock};

/// The first and last character of each range of invisible characters: Unicode's `White_Space` and
/// `Default_Ignorable_Code_Point`, control characters, annotation marks, and the blank Braille and
/// musical symbols. NUL is not listed, because another rule rejects NUL in every text.
const INVISIBLE: [(char, char); 25] = [
    ('\u{1}', ' '),
    ('\u{7f}', '\u{a0}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{2000}', '\u{200f}'),
    ('\u{2028}', '\u{202f}'),
    ('\u{205f}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{16fe4}', '\u{16fe4}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d159}', '\u{1d159}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// The regular expression of a text with a visible character, for published schemas.
///
/// This pattern covers only the basic multilingual plane, because many JSON Schema tools match
/// patterns on UTF-16 without the flag `u`. The service enforces [`VISIBLE_ANYWHERE`].
pub static VISIBLE: LazyLock<String> = LazyLock::new(|| build_pattern(|last| last <= '\u{ffff}'));

/// The same regular expression over all of Unicode.
pub static VISIBLE_ANYWHERE: LazyLock<String> = LazyLock::new(|| build_pattern(|_| true));

fn build_pattern(is_known: impl Fn(char) -> bool) -> String {
    let mut hidden = String::new();
    for (first, last) in INVISIBLE.into_iter().filter(|(_, last)| is_known(*last)) {
        push_escaped(&mut hidden, first);
        if first != last {
            hidden.push('-');
            push_escaped(&mut hidden, last);
        }
    }
    format!(r"^[^\u0000]*[^\u0000{hidden}][^\u0000]*$")
}

fn push_escaped(class: &mut String, character: char) {
    let code = u32::from(character);
    if code > 0xffff {
        class.push(character);
    } else {
        let _ = write!(class, "\\u{code:04x}");
    }
}

/// Joins a text into one line and removes invisible characters, such as those that change the
/// reading direction. Each run of white space becomes one space.
#[must_use]
pub fn visible_line(text: &str) -> String {
    let shows = |c: &char| c.is_whitespace() || is_visible(*c);
    let shown: String = text.chars().filter(shows).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if the text has no visible character.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    !text.chars().any(is_visible)
}

fn is_visible(c: char) -> bool {
    c != '\0' && !INVISIBLE.iter().any(|(a, z)| (*a..=*z).contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_patterns_and_is_blank_agree_on_every_character() {
        let rule = |pattern: &str| {
            let schema = json!({ "type": "string", "pattern": pattern });
            jsonschema::draft202012::new(&schema).expect("a valid schema")
        };
        let (validator, published) = (rule(&VISIBLE_ANYWHERE), rule(&VISIBLE));
        for character in '\u{1}'..=char::MAX {
            let text = format!(" {character} ");
            let visible = validator.is_valid(&json!(text));
            assert_eq!(visible, !is_blank(&text), "{character:?}");
            let is_valid = published.is_valid(&json!(text));
            assert_eq!(is_valid, visible || character > '\u{ffff}', "{character:?}");
            // The Hangul fillers are letters, but invisible.
            let filler = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'].contains(&character);
            if character.is_alphanumeric() {
                assert_eq!(visible, !filler, "{character:?}");
            }
            if character.is_whitespace() || character.is_control() {
                assert!(!visible, "{character:?}");
            }
        }
        for text in ["", "\u{0}", "a\u{0}"] {
            assert!(!validator.is_valid(&json!(text)), "{text:?}");
        }
        assert!(is_blank("") && is_blank("\u{0}"));
    }

    #[test]
    fn a_visible_line_has_no_invisible_characters() {
        let text = " a\u{202e}b\u{2028}c\u{200b}\u{e0041}\t \u{a0}d\u{fe0f}\0 ";
        assert_eq!(visible_line(text), "ab c d");
        assert_eq!(visible_line("\u{200b}\u{2800}"), "");
        assert_eq!(visible_line("Ação 日本"), "Ação 日本");
    }
}
