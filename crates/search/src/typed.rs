//! A search as a person types it. Every word matches by its stem; the last word also matches as the
//! start of a word.
//!
//! [`Typed::index_lookup`] looks up the terms that [`index_terms`] creates, so a search in the
//! index does not read the texts. For a text without an index, [`Typed::find_place`] gives the same
//! result.

use std::collections::BTreeSet;

use super::words::{self, Word, to_ascii, words};

/// The maximum number of words of a search; further words are ignored.
const MOST_WORDS: usize = 8;

/// The starts of words up to this length, in characters, are separate terms. A longer start is
/// looked up as a prefix, because few terms begin with it.
const LONGEST_START: usize = 3;

/// The first character of a term states its kind: a stem or the start of a word, in the text or in
/// the title. Only terms begin with these characters, which are neither letters nor ASCII.
const STEM: char = '¦';
const START: char = '¬';
const TITLE_STEM: char = '§';
const TITLE_START: char = '¶';

/// The part of a text that contains all words of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The whole text, including its title.
    Text,
    /// The title alone.
    Title,
}

/// A term to look up in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    Term(String),
    /// All terms with this prefix.
    Prefix(String),
}

/// A parsed search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    words: Vec<TypedWord>,
}

/// One word of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TypedWord {
    /// The prefix of matching words; `None` if the word is complete.
    start: Option<String>,
    /// The stem of the word; `None` for stop words.
    stem: Option<String>,
}

impl TypedWord {
    fn from_word_start(word: &Word) -> Self {
        Self {
            start: Some(word.folded.clone()),
            stem: word.stem(),
        }
    }

    fn matches(&self, word: &Word) -> bool {
        let starts = |start: &String| word.folded.starts_with(start.as_str());
        self.start.as_ref().is_some_and(starts)
            || self.stem.is_some()
                && self.may_have_stem_of(&word.folded)
                && self.stem == word.stem()
    }

    /// Returns false if the word cannot have this stem. Stemming keeps the first letter, so comparing
    /// the first letters avoids stemming most words of a text.
    fn may_have_stem_of(&self, folded: &str) -> bool {
        let stem = self.stem.as_deref().unwrap_or_default();
        !folded.is_ascii() || stem.as_bytes().first() == folded.as_bytes().first()
    }
}

impl Typed {
    /// Parses a search. The last word is complete if anything follows it, such as a space. Complete
    /// stop words are ignored, unless there are no other words.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let all: Vec<Word> = words(text).take(MOST_WORDS).collect();
        let mut found = vec![];
        for word in &all {
            if word.at.end == text.len() {
                found.push(TypedWord::from_word_start(word));
            } else if let Some(stem) = word.stem() {
                let (start, stem) = (None, Some(stem));
                found.push(TypedWord { start, stem });
            }
        }
        if found.is_empty() {
            found.extend(all.last().map(TypedWord::from_word_start));
        }
        Self { words: found }
    }

    /// Parses a search for names: each word matches the words that begin with it. Words are not
    /// stemmed.
    #[must_use]
    pub fn parse_name(text: &str) -> Self {
        let starts = words(text).take(MOST_WORDS).map(|word| TypedWord {
            start: Some(word.folded),
            stem: None,
        });
        Self {
            words: starts.collect(),
        }
    }

    /// True if the search has no words. Such a search finds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Finds the part of the text that contains all words of the search. `None` if a word is missing.
    /// The first line of the text is its title.
    #[must_use]
    pub fn find_place(&self, text: &str) -> Option<Place> {
        if self.is_empty() {
            return None;
        }
        let title = text.lines().next().unwrap_or_default();
        if self.all_words_occur_in(title) {
            return Some(Place::Title);
        }
        self.all_words_occur_in(text).then_some(Place::Text)
    }

    fn all_words_occur_in(&self, text: &str) -> bool {
        let mut missing: Vec<&TypedWord> = self.words.iter().collect();
        for word in words(text) {
            missing.retain(|typed| !typed.matches(&word));
            if missing.is_empty() {
                return true;
            }
        }
        false
    }

    /// True if the word matches a word of the search.
    #[must_use]
    pub fn matches(&self, word: &Word) -> bool {
        self.words.iter().any(|typed| typed.matches(word))
    }

    /// Returns the number of words of the search that match at least one of these words of a text.
    #[must_use]
    pub fn count_matched<'w>(&self, words: impl Iterator<Item = &'w Word> + Clone) -> usize {
        let is_matched = |typed: &&TypedWord| words.clone().any(|word| typed.matches(word));
        self.words.iter().filter(is_matched).count()
    }

    /// Returns the terms to look up in an index of [`index_terms`], one list per word of the search. A
    /// text matches if it has at least one term of each list.
    #[must_use]
    pub fn index_lookup(&self, place: Place) -> Vec<Vec<Lookup>> {
        let (stem_mark, start_mark) = term_marks(place);
        let lookup = |word: &TypedWord| {
            let mut any = vec![];
            if let Some(start) = &word.start {
                let term = mark_term(start_mark, &to_ascii(start));
                any.push(match start.chars().count() {
                    ..=LONGEST_START => Lookup::Term(term),
                    _ => Lookup::Prefix(term),
                });
            }
            let stem = word.stem.iter();
            any.extend(stem.map(|stem| Lookup::Term(mark_term(stem_mark, stem))));
            any
        };
        self.words.iter().map(lookup).collect()
    }

    /// Returns the stems to look up in the index of the knowledge base, one list per word of the search.
    /// The index contains only stems, so the start of a word is replaced by the stems that begin with
    /// this start, and by the prefixes of the start. A passage found in this way may not contain the
    /// start itself.
    #[must_use]
    pub fn stem_lookup(&self) -> Vec<Vec<Lookup>> {
        const SHORTEST_STEM: usize = 3;
        let lookup = |word: &TypedWord| {
            let mut any: Vec<Lookup> = word.stem.iter().cloned().map(Lookup::Term).collect();
            if let Some(start) = &word.start {
                let start = to_ascii(start);
                let shorter = (SHORTEST_STEM..start.len()).map(|end| start[..end].to_owned());
                any.extend(shorter.map(Lookup::Term));
                any.push(Lookup::Prefix(start));
            }
            any
        };
        self.words.iter().map(lookup).collect()
    }
}

const fn term_marks(place: Place) -> (char, char) {
    match place {
        Place::Text => (STEM, START),
        Place::Title => (TITLE_STEM, TITLE_START),
    }
}

fn mark_term(mark: char, term: &str) -> String {
    let mut marked = String::from(mark);
    marked.push_str(term);
    marked
}

/// Returns the index terms of a text. The first line of the text is its title.
#[must_use]
pub fn index_terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    let title = text.lines().next().unwrap_or_default();
    for word in words(title) {
        add_terms(&word, Place::Title, &mut terms);
    }
    for word in words(text) {
        add_terms(&word, Place::Text, &mut terms);
    }
    terms
}

fn add_terms(word: &Word, place: Place, terms: &mut BTreeSet<String>) {
    let (stem_mark, start_mark) = term_marks(place);
    let whole = mark_term(start_mark, &to_ascii(&word.folded));
    // If the term of a long word is already present, the word and all its terms were added before. The
    // term of a short word may have been added as the start of another word.
    if !terms.insert(whole) && words::is_longer_than(&word.folded, LONGEST_START) {
        return;
    }
    for (end, _) in word.folded.char_indices().skip(1).take(LONGEST_START) {
        terms.insert(mark_term(start_mark, &to_ascii(&word.folded[..end])));
    }
    if let Some(stem) = word.stem() {
        terms.insert(mark_term(stem_mark, &stem));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Pão de queijo da avó\nReceitas congeladas às 9h, com limões. Ελλάδα #café";

    /// True if the search finds the text in an index of the text's terms.
    fn index_matches(typed: &Typed, text: &str, place: Place) -> bool {
        let terms = index_terms(text);
        let has = |lookup: &Lookup| match lookup {
            Lookup::Term(term) => terms.contains(term),
            Lookup::Prefix(start) => terms.iter().any(|term| term.starts_with(start.as_str())),
        };
        let lookup = typed.index_lookup(place);
        !lookup.is_empty() && lookup.iter().all(|any| any.iter().any(has))
    }

    #[test]
    fn words_are_found_by_stem_and_the_last_one_by_its_start() {
        let found = [
            ("pao", Place::Title),
            ("PÃES queijos", Place::Title),
            ("pão de q", Place::Title),
            ("pao de ", Place::Title),
            ("av", Place::Title),
            ("receita", Place::Text),
            ("receita congelada", Place::Text),
            ("congelar lim", Place::Text),
            ("limao", Place::Text),
            ("queijo receitas", Place::Text),
            ("cafe", Place::Text),
            ("caf", Place::Text),
            ("ελλ", Place::Text),
            ("c", Place::Text),
            ("9h", Place::Text),
            ("de", Place::Title),
        ];
        for (typed, place) in found {
            assert_eq!(
                Typed::parse(typed).find_place(TEXT),
                Some(place),
                "{typed:?}"
            );
        }
        let absent = [
            "",
            "  ",
            "!?",
            "eij",
            "rec pao",
            "pao x",
            "receitas  xis",
            "9h3",
        ];
        for typed in absent {
            assert_eq!(Typed::parse(typed).find_place(TEXT), None, "{typed:?}");
        }
    }

    #[test]
    fn an_index_gives_the_same_answer_as_the_text() {
        let mut searches: Vec<String> = vec!["de ".into(), "paes de ".into(), "avó receita".into()];
        for (from, _) in TEXT.char_indices() {
            for to in from + 1..=TEXT.len() {
                searches.extend(TEXT.get(from..to).map(str::to_owned));
            }
        }
        for search in searches {
            let typed = Typed::parse(&search);
            let found = typed.find_place(TEXT);
            let in_text = index_matches(&typed, TEXT, Place::Text);
            let in_title = index_matches(&typed, TEXT, Place::Title);
            assert_eq!(found.is_some(), in_text, "{search:?}");
            assert_eq!(found == Some(Place::Title), in_title, "{search:?}");
        }
    }

    #[test]
    fn terms_contain_no_syntax_of_an_index() {
        let signs: String = (' '..='~').collect();
        for term in index_terms(&format!("{signs}\n{TEXT}")) {
            let mut letters = term.chars();
            let mark = letters.next().expect("a mark");
            assert!(!mark.is_alphanumeric() && !mark.is_ascii(), "{term}");
            assert!(letters.all(|c| c.is_ascii_alphanumeric()), "{term}");
        }
    }

    #[test]
    fn names_are_not_stemmed() {
        let name = "Ana Martins";
        assert!(Typed::parse_name("martin an").find_place(name).is_some());
        assert!(Typed::parse_name("martim").find_place(name).is_none());
    }
}
