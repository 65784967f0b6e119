//! LinkedIn's *little* text format, in which the text of a post is sent.
//!
//! <https://learn.microsoft.com/linkedin/marketing/community-management/shares/little-text-format>, read
//! on 2026-11-28: `| { } @ [ ] ( ) < > # \ * _ ~` are reserved, and escaped with a backslash when they
//! are plain text. A `#` with a word after it is a hashtag. LinkedIn truncates a text at the position
//! where it cannot parse the text (<https://github.com/ComposioHQ/composio/issues/2710>).

use std::fmt::Write;

const RESERVED: &[char] = &[
    '|', '{', '}', '@', '[', ']', '(', ')', '<', '>', '#', '\\', '*', '_', '~',
];

/// Escapes the reserved characters of a text. Hashtags stay hashtags. A hashtag with an underscore is
/// written as a template, because a plain hashtag would end before the underscore.
pub(super) fn to_little(text: &str) -> String {
    let mut little = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(next) = rest.chars().next() {
        let word = hashtag_at_start(rest).filter(|_| !before.is_some_and(is_word));
        if let Some(word) = word {
            match word.contains('_') {
                true => {
                    let escaped = word.replace('_', "\\_");
                    let _ = write!(little, "{{hashtag|\\#|{escaped}}}");
                }
                false => {
                    let _ = write!(little, "#{word}");
                }
            }
            before = word.chars().last();
            rest = &rest['#'.len_utf8() + word.len()..];
            continue;
        }
        if RESERVED.contains(&next) {
            little.push('\\');
        }
        little.push(next);
        before = Some(next);
        rest = &rest[next.len_utf8()..];
    }
    little
}

/// Returns the word of the hashtag with which a text begins. A number alone is no hashtag.
fn hashtag_at_start(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('#')?;
    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let word = &rest[..end];
    word.chars().any(char::is_alphabetic).then_some(word)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_are_escaped_and_hashtags_stay() {
        for (text, little) in [
            ("Pão (quente) hoje", "Pão \\(quente\\) hoje"),
            ("a@b.com e @ana", "a\\@b.com e \\@ana"),
            (
                "*já* ~ [x] {y} <z> |",
                "\\*já\\* \\~ \\[x\\] \\{y\\} \\<z\\> \\|",
            ),
            ("c:\\pasta", "c:\\\\pasta"),
            ("#Pão e #fermentação.", "#Pão e #fermentação."),
            ("C# e # 5 e #5", "C\\# e \\# 5 e \\#5"),
            ("a#b", "a\\#b"),
            ("##pão", "\\##pão"),
            ("#pão_quente", "{hashtag|\\#|pão\\_quente}"),
            ("linha\n#fim", "linha\n#fim"),
            (
                "https://x.com/?utm_source=a",
                "https://x.com/?utm\\_source=a",
            ),
        ] {
            assert_eq!(to_little(text), little, "{text}");
        }
    }
}
