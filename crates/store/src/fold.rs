//! Text as it is searched and compared.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Lower case without accents.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        // Most text is ASCII, which has nothing to decompose.
        let ascii = rest.bytes().position(|byte| !byte.is_ascii());
        let (ascii, other) = rest.split_at(ascii.unwrap_or(rest.len()));
        let start = folded.len();
        folded.push_str(ascii);
        folded[start..].make_ascii_lowercase();
        let (other, next) =
            other.split_at(other.find(|c: char| c.is_ascii()).unwrap_or(other.len()));
        folded.extend(decomposed(other));
        rest = next;
    }
    folded
}

fn decomposed(text: &str) -> impl Iterator<Item = char> {
    text.nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_ignores_case_and_accents() {
        assert_eq!(fold("Ação de LANÇAMENTO às 9h"), "acao de lancamento as 9h");
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
        ];
        for text in texts {
            for text in [text.to_owned(), text.repeat(3), format!("a{text}\u{301}Z")] {
                assert_eq!(fold(&text), decomposed(&text).collect::<String>(), "{text}");
            }
        }
    }
}
