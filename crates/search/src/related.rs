//! Related words, so that a question finds passages that express the same with another word.
//!
//! The general table is `related.txt`, which documents its format. A team may add its own words.
//! Relations only widen a question: a passage with the word as typed ranks before one with a
//! related word.
//!
//! A word also finds synonyms, its kind (frango, aves) and, with less weight, kinds of it. A
//! question is widened when it is asked, so that a change of the relations needs no new index. A
//! common word does not become rare by its relation to a rare one. Where the base does not have the
//! word as typed, the related ones stand in for it. A team adds words in the configuration
//! (`conhecimento.sinonimos`).

use std::{collections::HashMap, sync::LazyLock};

use super::words::stems;

/// The closeness of a synonym; the word as typed has 1.
pub const SYNONYM: f64 = 0.8;
/// The closeness of a broader term: a rule about poultry answers a question about chicken.
const BROADER: f64 = 0.8;
/// The closeness of a narrower term.
const NARROWER: f64 = 0.4;
/// The maximum number of related words of one word.
const MOST: usize = 16;

/// Maps a stem to its related stems and their closeness.
#[derive(Debug, Default)]
pub struct Relations(HashMap<String, Vec<(String, f64)>>);

impl Relations {
    /// The general table.
    fn general() -> &'static Self {
        static GENERAL: LazyLock<Relations> =
            LazyLock::new(|| Relations::read(include_str!("related.txt")));
        &GENERAL
    }

    /// Relations of a team's own words: a question with the first word also finds the others.
    #[must_use]
    pub fn of_team<'a>(words: impl IntoIterator<Item = (&'a str, Vec<&'a str>)>) -> Self {
        let mut relations = Self::default();
        for (word, others) in words {
            relations.relate(word, &others, SYNONYM);
        }
        relations
    }

    /// The stems related to this one in the general table or in these words of a team, without
    /// duplicates.
    #[must_use]
    pub fn and_general<'a>(&'a self, stem: &str) -> Vec<(&'a str, f64)> {
        let mut all: Vec<(&str, f64)> = vec![];
        for (related, closeness) in self.of(stem).iter().chain(Self::general().of(stem)) {
            match all.iter_mut().find(|(known, _)| known == related) {
                Some((_, known)) => *known = known.max(*closeness),
                None => all.push((related, *closeness)),
            }
        }
        all
    }

    fn of(&self, stem: &str) -> &[(String, f64)] {
        self.0.get(stem).map_or(&[], Vec::as_slice)
    }

    fn read(table: &str) -> Self {
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
                    relations.relate(narrow, &right, BROADER);
                }
                for broad in &right {
                    relations.relate(broad, &left, NARROWER);
                }
            } else {
                let all = [left, right].concat();
                for word in &all {
                    relations.relate(word, &all, SYNONYM);
                }
            }
        }
        relations
    }

    /// Relates a word to the words that it also finds. An expression of several words is ignored on
    /// the left side.
    fn relate(&mut self, word: &str, others: &[&str], closeness: f64) {
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
        let related = Relations::general().of(&word).iter();
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
            Relations::general()
                .0
                .values()
                .all(|related| related.len() < MOST)
        );
    }

    #[test]
    fn a_kind_finds_its_name_more_than_the_name_finds_it() {
        assert_eq!(closeness("frango", "aves"), Some(BROADER));
        assert_eq!(closeness("aves", "frango"), Some(NARROWER));
        assert_eq!(closeness("frango", "peru"), None, "a chicken is no turkey");
        assert_eq!(closeness("freezers", "congelador"), Some(SYNONYM));
        assert_eq!(closeness("microondas", "ondas"), Some(SYNONYM));
    }

    #[test]
    fn a_team_adds_its_own_words() {
        let team = Relations::of_team([("chapinha", vec!["prensa", "chapa quente"])]);
        let found: Vec<&str> = team
            .of("chapinh")
            .iter()
            .map(|(stem, _)| stem.as_str())
            .collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(team.of("prens").is_empty(), "not the other way");
        let both = Relations::of_team([("frango", vec!["ave", "penosa"])]);
        assert_eq!(both.and_general("frang").len(), 2);
        assert!(Relations::of_team([("de", vec!["a"])]).0.is_empty());
    }
}
