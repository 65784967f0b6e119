//! The length of a text as a network counts it.

use unicode_segmentation::UnicodeSegmentation;

use super::links::link_at;

/// The unit in which a network counts a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// UTF-16 code units, as in JavaScript and Java. Where a network says only "characters", this
    /// is the stricter reading: a text never has fewer units than characters.
    Utf16,
    /// Characters as people see them: grapheme clusters.
    Graphemes,
    /// Bytes of UTF-8.
    Bytes,
    /// Characters, but each emoji counts as the number of its UTF-8 bytes (Threads).
    EmojiAsBytes,
    /// The weights of X: a link counts 23, an emoji or ideogram 2.
    Weighted,
}

/// The length that X counts for any link.
const LINK: usize = 23;

impl Unit {
    /// Returns the name of the unit for messages to users (Portuguese).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Utf16 | Self::Graphemes | Self::EmojiAsBytes | Self::Weighted => "caracteres",
        }
    }

    /// Returns the length of a text in this unit.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.segments(text).map(|(_, length)| length).sum()
    }

    /// Returns the longest beginning of a text whose length is at most `most`. The beginning never
    /// ends within an emoji, a letter with its accents or, for X, a link.
    #[must_use]
    pub fn longest_beginning(self, text: &str, most: usize) -> &str {
        let (mut end, mut count) = (0, 0);
        for (segment, length) in self.segments(text) {
            count += length;
            if count > most {
                break;
            }
            end += segment.len();
        }
        &text[..end]
    }

    /// Splits a text into its indivisible parts, and returns each part with its length.
    fn segments(self, text: &str) -> impl Iterator<Item = (&str, usize)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let link = match self {
                Self::Weighted => link_at(text, at),
                _ => None,
            };
            let (segment, length) = match link {
                Some(link) => (link, LINK),
                None => {
                    let segment = text[at..].graphemes(true).next()?;
                    (segment, self.count_grapheme(segment))
                }
            };
            at += segment.len();
            Some((segment, length))
        })
    }

    fn count_grapheme(self, grapheme: &str) -> usize {
        match self {
            Self::Utf16 => grapheme.encode_utf16().count(),
            Self::Graphemes => 1,
            Self::Bytes => grapheme.len(),
            Self::EmojiAsBytes if is_emoji(grapheme) => grapheme.len(),
            Self::EmojiAsBytes => grapheme.chars().count(),
            Self::Weighted if is_emoji(grapheme) => 2,
            Self::Weighted => grapheme.chars().map(weight_on_x).sum(),
        }
    }
}

/// True if a grapheme cluster is shown as an emoji: it has a character from a block of emoji, or
/// the variation selector for emoji.
fn is_emoji(grapheme: &str) -> bool {
    grapheme.chars().any(|character| {
        matches!(character,
            '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}'
            | '\u{2b00}'..='\u{2bff}' | '\u{2300}'..='\u{23ff}')
    })
}

/// Returns the weight of a character on X: 1 up to U+10FF and for common punctuation, 2 for any
/// other character (X's documentation "Counting characters").
fn weight_on_x(character: char) -> usize {
    match character {
        '\0'..='\u{10ff}'
        | '\u{2000}'..='\u{200d}'
        | '\u{2010}'..='\u{201f}'
        | '\u{2032}'..='\u{2037}' => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A family of three: five characters, eight UTF-16 units, eighteen bytes.
    const FAMILY: &str = "👨‍👩‍👧";

    #[test]
    fn each_unit_counts_as_its_network_does() {
        for (text, utf16, graphemes, bytes, threads, x) in [
            ("", 0, 0, 0, 0, 0),
            ("pão", 3, 3, 4, 3, 3),
            ("pa\u{303}o", 4, 3, 5, 4, 4),
            ("🍞", 2, 1, 4, 4, 2),
            (FAMILY, 8, 1, 18, 18, 2),
            ("👍🏽", 4, 1, 8, 8, 2),
            ("🇧🇷", 4, 1, 8, 8, 2),
            ("❤️", 2, 1, 6, 6, 2),
            ("語", 1, 1, 3, 1, 2),
            ("a\r\nb", 4, 3, 4, 4, 4),
        ] {
            let counts = [
                Unit::Utf16,
                Unit::Graphemes,
                Unit::Bytes,
                Unit::EmojiAsBytes,
                Unit::Weighted,
            ]
            .map(|unit| unit.count(text));
            assert_eq!(counts, [utf16, graphemes, bytes, threads, x], "{text}");
        }
    }

    #[test]
    fn a_link_counts_23_on_x_and_its_length_elsewhere() {
        let text = format!("veja https://exemplo.com/{} já", "a".repeat(100));
        assert_eq!(Unit::Weighted.count(&text), 5 + 23 + 3);
        assert_eq!(Unit::Utf16.count(&text), text.chars().count());
    }

    #[test]
    fn the_marks_after_a_link_count_on_x_and_a_link_needs_no_scheme() {
        for (text, count) in [
            ("https://exemplo.com/pao.", 24),
            ("(https://exemplo.com/pao)!", 1 + 23 + 2),
            ("https://exemplo.com/pao_(doce)", 23),
            ("https://exemplo.com/a?b=c&d=%C3%A9#e, ok", 23 + 4),
            ("exemplo.com", 23),
            (
                "veja exemplo.com.br/loja?x=1; e-mail a@exemplo.com",
                5 + 23 + 22,
            ),
            ("WWW.EXEMPLO.COM", 23),
            ("https://exemplo.com:8080/a", 23),
            ("Fim.De novo", 23 + 5),
            ("fim.de/novo", 23),
            ("foo.jp", 23),
            ("it.so", 23),
            ("john.doe.jp@mail.com", 20),
            ("maria.art@gmail.com", 19),
            ("exemplo.com.Veja", 23 + 5),
            ("3.14 e v1.2.3", 13),
            ("https://localhost", 17),
            ("#exemplo.com @exemplo.com", 25),
            ("https://exemplo.com/🍞", 25),
        ] {
            assert_eq!(Unit::Weighted.count(text), count, "{text}");
        }
    }

    #[test]
    fn the_longest_beginning_is_as_long_as_allowed_and_divides_nothing() {
        let texts = [
            format!("{FAMILY}a{FAMILY}ção 👍🏽 fim"),
            "https://exemplo.com/x depois".to_owned(),
            "pa\u{303}o ".repeat(5),
        ];
        for text in &texts {
            for unit in [
                Unit::Utf16,
                Unit::Graphemes,
                Unit::Bytes,
                Unit::EmojiAsBytes,
                Unit::Weighted,
            ] {
                for most in 0..=unit.count(text) + 1 {
                    let beginning = unit.longest_beginning(text, most);
                    assert!(unit.count(beginning) <= most, "{unit:?} {most}");
                    let rest = &text[beginning.len()..];
                    let next = unit.segments(rest).next();
                    let is_longest =
                        next.is_none_or(|(_, length)| unit.count(beginning) + length > most);
                    assert!(is_longest, "{unit:?} {most} {beginning}");
                }
            }
        }
    }
}
