//! A search query as terms: words, prefixes of words, and quoted phrases.
//!
//! Queries are untrusted input: this module returns stems, which contain only letters and digits.

use super::words::{Word, to_ascii, words};

/// The maximum number of words of a query; further words are ignored.
const MOST_WORDS: usize = 64;
const MOST_PREFIXES: usize = 8;
const MOST_PHRASES: usize = 8;
/// Filler words: words of a question that do not name its subject, folded and sorted. They count
/// only in a query without other words.
const FILLERS: [&str; 59] = [
    "acontece",
    "aconteceu",
    "agora",
    "algum",
    "alguma",
    "algumas",
    "alguns",
    "aqui",
    "coisa",
    "coisas",
    "dar",
    "devemos",
    "dizer",
    "dum",
    "duma",
    "existe",
    "existem",
    "fazemos",
    "fica",
    "ficam",
    "ficar",
    "ficou",
    "funciona",
    "funcionam",
    "gostaria",
    "havia",
    "houve",
    "ir",
    "jeito",
    "ne",
    "num",
    "numa",
    "numas",
    "nuns",
    "obrigada",
    "obrigado",
    "oi",
    "ola",
    "outra",
    "outras",
    "outro",
    "outros",
    "precisa",
    "precisam",
    "precisamos",
    "queria",
    "quero",
    "sera",
    "seria",
    "temos",
    "tenho",
    "toda",
    "todas",
    "todo",
    "todos",
    "vai",
    "vamos",
    "vao",
    "vou",
];
/// The minimum number of letters before an asterisk.
const SHORTEST_PREFIX: usize = 2;

/// One search term.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Wanted {
    Word(String),
    /// Any word with this prefix, or the word with this stem.
    Prefix {
        start: String,
        stem: String,
    },
}

/// A parsed query.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The terms, without duplicates.
    pub wanted: Vec<Wanted>,
    /// The quoted phrases: stems that must be consecutive.
    pub phrases: Vec<Vec<String>>,
    /// Pairs of neighbouring words joined into one, because the knowledge base may spell them as
    /// one word: `mal passada`, `micro-ondas`.
    pub joined: Vec<String>,
    fillers: Vec<Wanted>,
}

impl Question {
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut question = Self::default();
        let mut rest = text;
        while let Some((open, mark)) = rest
            .char_indices()
            .find(|(_, c)| closing_quote(*c).is_some())
        {
            let inside = &rest[open + mark.len_utf8()..];
            let end = closing_quote(mark).and_then(|closes| inside.find(closes));
            question.add_unquoted_words(&rest[..open]);
            match end {
                Some(end) => {
                    question.add_phrase(&inside[..end]);
                    let mark = inside[end..].chars().next().map_or(0, char::len_utf8);
                    rest = &inside[end + mark..];
                }
                // An unclosed quotation mark is a typing error, not a phrase.
                None => rest = inside,
            }
        }
        question.add_unquoted_words(rest);
        if question.wanted.is_empty() {
            question.wanted = std::mem::take(&mut question.fillers);
        }
        question
    }

    /// True if the query has no search term.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    fn add_unquoted_words(&mut self, text: &str) {
        let mut before: Option<Word> = None;
        for word in words(text) {
            self.add_joined_word(before.as_ref(), &word, text);
            before = Some(word.clone());
            let prefix = text[word.at.end..].starts_with('*');
            if !prefix && FILLERS.binary_search(&word.folded.as_str()).is_ok() {
                let filler = word.stem().map(Wanted::Word);
                self.fillers
                    .extend(filler.filter(|_| self.fillers.len() < MOST_WORDS));
                continue;
            }
            self.add_term(
                &word,
                prefix && word.folded.chars().count() >= SHORTEST_PREFIX,
            );
        }
    }

    /// Records two words as one compound word if only a space or a hyphen separates them.
    fn add_joined_word(&mut self, before: Option<&Word>, word: &Word, text: &str) {
        let Some(before) = before else { return };
        let between = &text[before.at.end..word.at.start];
        let both = [before, word].map(|word| word.stem().is_some());
        if [" ", "-"].contains(&between) && both == [true; 2] && self.joined.len() < MOST_WORDS {
            let joined = words(&format!("{}{}", before.folded, word.folded)).next();
            self.joined.extend(joined.and_then(|word| word.stem()));
        }
    }

    fn add_phrase(&mut self, text: &str) {
        let inside: Vec<Word> = words(text).collect();
        for word in &inside {
            self.add_term(word, false);
        }
        let stems: Vec<String> = inside
            .iter()
            .filter_map(Word::stem)
            .take(MOST_WORDS)
            .collect();
        if !stems.is_empty() && self.phrases.len() < MOST_PHRASES {
            self.phrases.push(stems);
        }
    }

    fn add_term(&mut self, word: &Word, prefix: bool) {
        let prefixes = || {
            self.wanted
                .iter()
                .filter(|w| matches!(w, Wanted::Prefix { .. }))
        };
        let wanted = if prefix && prefixes().count() < MOST_PREFIXES {
            let start = to_ascii(&word.folded);
            let stem = word.stem().unwrap_or_else(|| start.clone());
            Wanted::Prefix { start, stem }
        } else if let Some(stem) = word.stem() {
            Wanted::Word(stem)
        } else {
            return;
        };
        if self.wanted.len() < MOST_WORDS && !self.wanted.contains(&wanted) {
            self.wanted.push(wanted);
        }
    }
}

/// Returns the closing mark for an opening quotation mark.
fn closing_quote(mark: char) -> Option<char> {
    match mark {
        '"' => Some('"'),
        '“' => Some('”'),
        '«' => Some('»'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted_word(stem: &str) -> Wanted {
        Wanted::Word(stem.into())
    }

    #[test]
    fn words_phrases_and_prefixes_are_distinguished() {
        let question = Question::parse("Qual o “ponto de bala” da calda? ferment* sal*");
        assert_eq!(question.phrases, [["pont", "bal"]]);
        assert_eq!(
            question.wanted[..3],
            [wanted_word("pont"), wanted_word("bal"), wanted_word("cald")]
        );
        assert!(matches!(&question.wanted[3], Wanted::Prefix { start, .. } if start == "ferment"));
        assert_eq!(question.wanted.len(), 5);
    }

    #[test]
    fn a_question_without_content_has_no_terms() {
        for text in [
            "",
            "  ",
            "o que é isso?",
            "?!… -- ** \"\"",
            "\"de a\"",
            "🎉\u{0}",
            "a*",
        ] {
            assert!(Question::parse(text).is_empty(), "{text}");
            assert!(Question::parse(text).phrases.is_empty(), "{text}");
        }
    }

    #[test]
    fn fillers_count_only_in_a_question_without_other_words() {
        assert!(FILLERS.is_sorted());
        let folded = FILLERS.iter().flat_map(|filler| words(filler));
        assert!(
            folded
                .zip(FILLERS)
                .all(|(word, filler)| word.folded == filler)
        );
        assert_eq!(
            Question::parse("quero fazer outra calda").wanted,
            [wanted_word("cald")]
        );
        assert_eq!(Question::parse("vai precisar de outro?").wanted.len(), 1);
        assert_eq!(Question::parse("outro").wanted, [wanted_word("outr")]);
        assert_eq!(Question::parse("\"de outro jeito\"").phrases.len(), 1);
    }

    #[test]
    fn neighbouring_words_are_also_searched_as_one_word() {
        assert_eq!(
            Question::parse("picanha mal passada").joined[1..],
            ["malpass"]
        );
        assert_eq!(Question::parse("micro-ondas").joined, ["microond"]);
        assert!(
            Question::parse("mal, passada; sal de mesa")
                .joined
                .is_empty()
        );
    }

    #[test]
    fn an_unclosed_quote_is_not_a_phrase() {
        let question = Question::parse("arroz \"soltinho e solto");
        assert!(question.phrases.is_empty());
        assert_eq!(question.wanted.len(), 3);
    }

    #[test]
    fn the_number_of_terms_of_a_long_question_is_bounded() {
        let long: String = (0..2_000).map(|n| format!("a{n} ")).collect();
        assert_eq!(Question::parse(&long).wanted.len(), MOST_WORDS);
        let prefixes: String = (0..500).map(|n| format!("ab{n}* ")).collect();
        let read = Question::parse(&prefixes);
        let count = read
            .wanted
            .iter()
            .filter(|w| matches!(w, Wanted::Prefix { .. }))
            .count();
        assert_eq!(count, MOST_PREFIXES);
    }
}
