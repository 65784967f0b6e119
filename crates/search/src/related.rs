//! Related words, so that a query also finds passages that use another word for the same thing.
//!
//! The general table is `related.txt`, which documents its format. A team may add its own words.
//! Related words only expand a query: a passage with the word as typed ranks before one with a
//! related word.
//!
//! A word also finds its synonyms, its broader terms (frango → aves) and, with less weight, its narrower
//! terms. A query is expanded when it is searched, so a change of the relations needs no new index. A
//! common word does not count as rare because of its relation to a rare word. If the knowledge base
//! lacks the word as typed, its related words replace it. A team adds words in the configuration
//! (`conhecimento.sinonimos`).

use std::{collections::HashMap, sync::LazyLock};

use super::words::stems;

/// The closeness of a synonym; the word as typed has 1.
pub const SYNONYM: f64 = 0.8;
/// The weight of a broader term: a rule about poultry answers a query about chicken.
const BROADER: f64 = 0.8;
/// The weight of a narrower term.
const NARROWER: f64 = 0.4;
/// The maximum number of related words of one word.
const MOST: usize = 16;

/// Maps a stem to its related stems and their weights.
#[derive(Debug, Default)]
pub struct Relations(HashMap<String, Vec<(String, f64)>>);

impl Relations {
    /// Returns the general table of related words.
    fn general_table() -> &'static Self {
        static GENERAL: LazyLock<Relations> =
            LazyLock::new(|| Relations::parse(include_str!("related.txt")));
        &GENERAL
    }

    /// Relations from a team's own words: a query with the first word also finds the others.
    #[must_use]
    pub fn from_team_words<'a>(words: impl IntoIterator<Item = (&'a str, Vec<&'a str>)>) -> Self {
        let mut relations = Self::default();
        for (word, others) in words {
            relations.add_relations(word, &others, SYNONYM);
        }
        relations
    }

    /// Returns the stems related to this stem, in the general table or in a team's own words, without
    /// duplicates.
    #[must_use]
    pub fn related_stems<'a>(&'a self, stem: &str) -> Vec<(&'a str, f64)> {
        let mut all: Vec<(&str, f64)> = vec![];
        for (related, closeness) in self
            .own_related_stems(stem)
            .iter()
            .chain(Self::general_table().own_related_stems(stem))
        {
            match all.iter_mut().find(|(known, _)| known == related) {
                Some((_, known)) => *known = known.max(*closeness),
                None => all.push((related, *closeness)),
            }
        }
        all
    }

    fn own_related_stems(&self, stem: &str) -> &[(String, f64)] {
        self.0.get(stem).map_or(&[], Vec::as_slice)
    }

    fn parse(table: &str) -> Self {
        let mut relations = Self::default();
        let lines = table.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (left, right, is_kind) = match (line.split_once('='), line.split_once('>')) {
                (Some((left, right)), _) => (left, right, false),
                (_, Some((left, right))) => (left, right, true),
                _ => (line, "", false),
            };
            let left: Vec<&str> = left.split_whitespace().collect();
            let right: Vec<&str> = right.split_whitespace().collect();
            if is_kind {
                for narrow in &left {
                    relations.add_relations(narrow, &right, BROADER);
                }
                for broad in &right {
                    relations.add_relations(broad, &left, NARROWER);
                }
            } else {
                let all = [left, right].concat();
                for word in &all {
                    relations.add_relations(word, &all, SYNONYM);
                }
            }
        }
        relations
    }

    /// Relates a word to the words that a search for it also finds. An expression of several words
    /// is ignored on the left side.
    fn add_relations(&mut self, word: &str, others: &[&str], closeness: f64) {
        let own: Vec<String> = stems(word).collect();
        let [own] = own.as_slice() else { return };
        let known = self.0.entry(own.clone()).or_default();
        for stem in others.iter().flat_map(|other| stems(other)) {
            match known.iter().position(|(other, _)| *other == stem) {
                Some(at) => known[at].1 = known[at].1.max(closeness),
                None if stem != *own && known.len() < MOST => known.push((stem, closeness)),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closeness(word: &str, other: &str) -> Option<f64> {
        let [word, other] = [word, other].map(|word| stems(word).collect::<String>());
        let related = Relations::general_table().own_related_stems(&word).iter();
        related
            .clone()
            .find(|(stem, _)| *stem == other)
            .map(|(_, closeness)| *closeness)
    }

    #[test]
    fn every_line_of_the_table_relates_words_that_a_search_can_find() {
        let table = include_str!("related.txt");
        for line in table
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let marks = line.matches(['=', '>']).count();
            assert_eq!(marks, 1, "{line}");
            for word in line
                .split_whitespace()
                .filter(|word| !["=", ">"].contains(word))
            {
                assert!(
                    stems(word).next().is_some(),
                    "{word} is a stop word: {line}"
                );
            }
            let (left, right) = line.split_once(['=', '>']).expect("a relation");
            assert!(
                !left.trim().is_empty() && !right.trim().is_empty(),
                "{line}"
            );
        }
        assert!(
            Relations::general_table()
                .0
                .values()
                .all(|related| related.len() < MOST)
        );
    }

    #[test]
    fn a_narrower_term_finds_its_broader_term_with_more_weight_than_the_reverse() {
        assert_eq!(closeness("frango", "aves"), Some(BROADER));
        assert_eq!(closeness("aves", "frango"), Some(NARROWER));
        assert_eq!(
            closeness("frango", "peru"),
            None,
            "two narrower terms of one word are not related"
        );
        assert_eq!(closeness("freezers", "congelador"), Some(SYNONYM));
        assert_eq!(closeness("microondas", "ondas"), Some(SYNONYM));
    }

    #[test]
    fn words_of_a_team_are_related_in_one_direction() {
        let team = Relations::from_team_words([("chapinha", vec!["prensa", "chapa quente"])]);
        let found: Vec<&str> = team
            .own_related_stems("chapinh")
            .iter()
            .map(|(stem, _)| stem.as_str())
            .collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            team.own_related_stems("prens").is_empty(),
            "a relation has one direction"
        );
        let both = Relations::from_team_words([("frango", vec!["ave", "penosa"])]);
        assert_eq!(both.related_stems("frang").len(), 2);
        assert!(Relations::from_team_words([("de", vec!["a"])]).0.is_empty());
    }
}
