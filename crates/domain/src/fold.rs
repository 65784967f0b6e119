//! Normalises text for search and comparison.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Converts text to lower case without accents.
#[must_use]
pub fn fold_text(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        // Most text is ASCII, which needs no decomposition.
        let ascii = rest.bytes().position(|byte| !byte.is_ascii());
        let (ascii, other) = rest.split_at(ascii.unwrap_or(rest.len()));
        let start = folded.len();
        folded.push_str(ascii);
        folded[start..].make_ascii_lowercase();
        let (other, next) =
            other.split_at(other.find(|c: char| c.is_ascii()).unwrap_or(other.len()));
        fold_non_ascii(other, &mut folded);
        rest = next;
    }
    folded
}

/// Folds a run of non-ASCII characters. Portuguese letters are looked up in a table, because each
/// folds independently of its neighbours.
fn fold_non_ascii(run: &str, folded: &mut String) {
    let letter = |c: char| {
        ACCENTED
            .get((c as usize).checked_sub(FIRST_ACCENTED)?)
            .copied()
    };
    let letters = run.chars().map(|c| letter(c).filter(|letter| *letter != 0));
    let start = folded.len();
    for letter in letters {
        let Some(letter) = letter else {
            folded.truncate(start);
            folded.extend(decompose(run));
            return;
        };
        folded.push(char::from(letter));
    }
}

/// The first character of the table, U+00C0.
const FIRST_ACCENTED: usize = 0xc0;
/// The letters U+00C0 to U+00FF in lower case without accents; 0 for characters that need
/// decomposition.
const ACCENTED: &[u8; 64] =
    b"aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0\0aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0y";

fn decompose(text: &str) -> impl Iterator<Item = char> {
    text.nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_ignores_case_and_accents() {
        assert_eq!(
            fold_text("Ação de LANÇAMENTO às 9h"),
            "acao de lancamento as 9h"
        );
    }

    #[test]
    fn each_accented_letter_is_folded_as_its_decomposition() {
        for c in (0x80..0x300).filter_map(char::from_u32) {
            let text = c.to_string();
            assert_eq!(
                fold_text(&text),
                decompose(&text).collect::<String>(),
                "{text}"
            );
        }
    }

    #[test]
    fn ascii_is_folded_like_any_text() {
        let texts = [
            "",
            "A",
            "É",
            "Ée\u{301}E",
            "x\u{301}\u{316}Y",
            "İstanbul ŞİMDİ",
            "한글ABC",
            "ß🍞Ǆ",
            &(0x80..0x250).filter_map(char::from_u32).collect::<String>(),
        ];
        for text in texts {
            for text in [text.to_owned(), text.repeat(3), format!("a{text}\u{301}Z")] {
                assert_eq!(
                    fold_text(&text),
                    decompose(&text).collect::<String>(),
                    "{text}"
                );
            }
        }
    }
}
