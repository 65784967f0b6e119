//! Splits text into searchable words: without accents, stemmed, in ASCII.
//!
//! Words are folded (lower case, without accents) before stemming, so that a word typed without
//! accents matches its accented form. Accents are restored before stemming in the endings that the
//! stemmer recognises only with accents.
//!
//! FTS5 and `tsvector` index the same tokens, and a query cannot contain the syntax of either.

use std::{borrow::Cow, fmt::Write, ops::Range, sync::LazyLock};

use snowball_stemmers_rs::{Algorithm, Stemmer};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The version of the stemming. Change it when a change gives other stems for the same text; all
/// documents are then indexed again.
pub const VERSION: u32 = 1;

/// The maximum number of letters of a word; the rest is ignored. No natural word is longer.
const LONGEST: usize = 40;

/// A word of a text and its position in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub at: Range<usize>,
    /// The word in lower case and without accents, in any script.
    pub folded: String,
}

impl Word {
    /// Returns the stem for the index. `None` for stop words.
    #[must_use]
    pub fn stem(&self) -> Option<String> {
        let stop = STOP_WORDS.binary_search(&self.folded.as_str()).is_ok();
        (!stop).then(|| stem(&self.folded))
    }
}

/// Returns the words of a text, in order.
pub fn words(text: &str) -> impl Iterator<Item = Word> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let start = rest + text[rest..].find(is_word_char)?;
            let length = text[start..].find(|c| !is_word_char(c));
            let end = length.map_or(text.len(), |length| start + length);
            rest = end;
            let folded = fold_word(&text[start..end]);
            if !folded.is_empty() {
                return Some(Word {
                    at: start..end,
                    folded,
                });
            }
        }
    })
}

/// Returns the stems of a text, without stop words.
pub fn stems(text: &str) -> impl Iterator<Item = String> {
    words(text).filter_map(|word| word.stem())
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// True if a word has more than this many letters.
pub(crate) fn is_longer_than(folded: &str, letters: usize) -> bool {
    folded.chars().nth(letters).is_some()
}

fn fold_word(word: &str) -> String {
    if word.is_ascii() {
        let length = word.len().min(LONGEST);
        return word[..length].to_ascii_lowercase();
    }
    let plain = word.nfkd().flat_map(char::to_lowercase);
    // Lower-casing can produce a decomposed character (İ).
    let letters = plain.filter(|c| c.is_alphanumeric() && !is_combining_mark(*c));
    letters.take(LONGEST).collect()
}

/// Converts a folded word to the characters of the index.
///
/// The databases tokenise other scripts differently, so words with non-ASCII characters are encoded
/// in hexadecimal.
#[must_use]
pub fn to_ascii(folded: &str) -> String {
    if folded.is_ascii() {
        return folded.to_owned();
    }
    let mut spelt = String::from("x");
    for byte in folded.bytes() {
        let _ = write!(spelt, "{byte:02x}");
    }
    spelt
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::Portuguese));

fn stem(folded: &str) -> String {
    if folded.len() < 3 || !folded.bytes().all(|b| b.is_ascii_lowercase()) {
        return to_ascii(folded);
    }
    let singular = to_singular(folded);
    let stem = fold_word(&STEMMER.stem(&restore_accents(&singular)));
    if stem.is_empty() {
        folded.to_owned()
    } else {
        stem
    }
}

/// Plural endings without accents, and their singular endings.
const PLURALS: [(&str, &str); 10] = [
    ("oes", "ao"),
    ("aes", "ao"),
    ("ais", "al"),
    ("eis", "el"),
    ("ois", "ol"),
    ("uis", "ul"),
    ("ns", "m"),
    ("res", "r"),
    ("zes", "z"),
    ("is", "il"),
];

fn to_singular(word: &str) -> Cow<'_, str> {
    for (plural, singular) in PLURALS {
        if let Some(root) = word.strip_suffix(plural)
            && (root.len() >= 2 || singular == "ao")
        {
            return format!("{root}{singular}").into();
        }
    }
    match word.strip_suffix('s') {
        Some(root) if root.len() >= 3 && !root.ends_with('s') => root.into(),
        _ => word.into(),
    }
}

/// Endings that the stemmer only recognises with accents.
const ACCENTED: [(&str, &str); 10] = [
    ("cao", "ção"),
    ("ao", "ão"),
    ("avel", "ável"),
    ("ivel", "ível"),
    ("encia", "ência"),
    ("ancia", "ância"),
    ("logia", "logía"),
    ("iamos", "íamos"),
    ("aria", "ária"),
    ("ario", "ário"),
];

fn restore_accents(word: &str) -> Cow<'_, str> {
    let found = ACCENTED
        .iter()
        .find_map(|(plain, accented)| Some((word.strip_suffix(plain)?, accented)));
    match found {
        Some((root, accented)) => format!("{root}{accented}").into(),
        None => word.into(),
    }
}

/// Stop words, folded and sorted.
const STOP_WORDS: [&str; 126] = [
    "a", "ah", "ai", "ainda", "ao", "aos", "aquela", "aquelas", "aquele", "aqueles", "aquilo",
    "as", "ate", "cada", "com", "como", "cuja", "cujo", "da", "das", "de", "dela", "delas", "dele",
    "deles", "deve", "devem", "devo", "do", "dos", "e", "ela", "elas", "ele", "eles", "em",
    "entao", "entre", "era", "essa", "essas", "esse", "esses", "esta", "estao", "estas", "este",
    "estes", "eu", "faz", "fazer", "foi", "for", "foram", "ha", "isso", "isto", "ja", "la", "lhe",
    "lhes", "mais", "mas", "me", "mesmo", "meu", "meus", "minha", "minhas", "muito", "na", "nao",
    "nas", "nem", "no", "nos", "nossa", "nossas", "nosso", "nossos", "o", "onde", "os", "ou",
    "para", "pela", "pelas", "pelo", "pelos", "pode", "podem", "por", "porque", "posso", "pra",
    "preciso", "quais", "qual", "qualquer", "quando", "quanta", "quantas", "quanto", "quantos",
    "que", "quem", "saber", "sao", "se", "sem", "ser", "seu", "seus", "so", "sobre", "sua", "suas",
    "tambem", "te", "tem", "ter", "um", "uma", "umas", "uns", "voce",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn only_stem(word: &str) -> String {
        stems(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn stop_words_are_sorted_and_folded() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| fold_word(word) == *word));
    }

    #[test]
    fn words_match_regardless_of_accents_case_and_number() {
        let alike = [
            ["conservação", "Conservações", "CONSERVACAO"],
            ["pão", "pães", "pao"],
            ["perecível", "perecíveis", "pereciveis"],
            ["limão", "limões", "limoes"],
            ["colher", "colheres", "Colher"],
            ["congelar", "congelados", "congelamento"],
            ["temperatura", "temperaturas", "TEMPERATURA"],
            ["receita", "receitas", "RECEITA"],
            ["animal", "animais", "animál"],
        ];
        for [one_form, another, third] in alike {
            assert_eq!(
                only_stem(one_form),
                only_stem(another),
                "{one_form} {another}"
            );
            assert_eq!(only_stem(one_form), only_stem(third), "{one_form} {third}");
        }
        assert_eq!(only_stem("ac\u{327}a\u{303}o"), only_stem("ação"));
        assert_ne!(only_stem("faca"), only_stem("fava"));
    }

    #[test]
    fn stems_are_ascii_and_need_no_quoting() {
        let odd = "İstanbul ﷺ 日本語 Ελλάδα ½ xícara 5º \u{0} \u{301} 🎉 a-b_c'd\"e* ß Ǆ";
        for stem in stems(odd) {
            assert!(
                stem.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()),
                "{stem}"
            );
            assert!(!stem.is_empty() && stem.len() <= 2 * 4 * LONGEST + 1);
        }
    }

    #[test]
    fn a_word_has_its_position_in_the_text() {
        let text = "É às 10h, não?";
        let found: Vec<_> = words(text).map(|word| &text[word.at]).collect();
        assert_eq!(found, ["É", "às", "10h", "não"]);
    }
}
