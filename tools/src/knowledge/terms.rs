//! Looks up the words of a search query in the knowledge base.

use strsim::osa_distance;

use search::{
    group::{Group, Term},
    question::{Question, Wanted},
    related::Relations,
};

use gateway::{Error, Result};
use store::{
    Conn,
    knowledge::{self, Statistics},
};

/// Maximum words in a ranking. The rarest words of a longer query are used.
const MOST_GROUPS: usize = 32;
/// Maximum number of words of the knowledge base that complete a prefix.
pub(super) const MOST_COMPLETIONS: usize = 50;
/// Maximum misspelt words of a query that are corrected.
const MOST_GUESSES: usize = 6;
/// The weight of a corrected word relative to a word of the query.
pub(super) const GUESS: f64 = 0.6;

/// Returns the stems of a query that are looked up exactly, and the prefixes that words of the knowledge
/// base complete.
pub(super) fn stems_and_prefixes(
    question: &Question,
    team: &Relations,
) -> (Vec<String>, Vec<String>) {
    let (mut exact, mut starts) = (question.joined.clone(), vec![]);
    for wanted in &question.wanted {
        match wanted {
            Wanted::Word(stem) => {
                let related = team.related_stems(stem).into_iter();
                exact.extend(related.map(|(stem, _)| stem.to_owned()));
                exact.push(stem.clone());
            }
            Wanted::Prefix { start, stem } => {
                exact.push(stem.clone());
                starts.push(start.clone());
            }
        }
    }
    exact.sort_unstable();
    exact.dedup();
    (exact, starts)
}

/// Loads the words of the query that the knowledge base contains, the rarest first, each with its
/// related words. Also returns the number of words that it does not contain.
pub(super) async fn load_groups(
    db: &Conn<'_>,
    question: &Question,
    team: &Relations,
    statistics: &Statistics,
) -> Result<(Vec<Group>, usize)> {
    let (mut groups, mut unknown) = (vec![], vec![]);
    for wanted in &question.wanted {
        let group = match wanted {
            Wanted::Word(stem) => {
                let related = team.related_stems(stem).into_iter();
                let related = related.filter_map(|(stem, close)| statistics.find_term(stem, close));
                let group = Group::new(statistics.find_term(stem, 1.0), related.collect());
                if group.is_none() {
                    unknown.push(stem.as_str());
                }
                group
            }
            Wanted::Prefix { start, stem } => {
                let known = statistics.terms.keys();
                let completed = known.filter(|term| term.starts_with(start) || *term == stem);
                let terms = completed.filter_map(|term| statistics.find_term(term, 1.0));
                let terms: Vec<Term> = terms.collect();
                (!terms.is_empty()).then_some(Group { terms })
            }
        };
        groups.extend(group);
    }
    let joined = question.joined.iter();
    groups.extend(joined.filter_map(|stem| Group::new(statistics.find_term(stem, 1.0), vec![])));
    let guessed = find_corrections(db, &unknown).await?;
    let unknown = unknown.len() - guessed.len();
    groups.extend(guessed);
    groups.sort_by(|one, other| {
        let weight = |group: &Group| group.weight(statistics.totals);
        let name = |group: &Group| group.terms.first().map(|term| term.stem.clone());
        weight(other)
            .total_cmp(&weight(one))
            .then_with(|| name(one).cmp(&name(other)))
    });
    groups.truncate(MOST_GROUPS);
    Ok((groups, unknown))
}

/// Finds words of the knowledge base that may be the correct spelling of unknown words.
async fn find_corrections(db: &Conn<'_>, unknown: &[&str]) -> Result<Vec<Group>> {
    let spelt = |word: &&&str| word.len() >= 4 && word.bytes().all(|b| b.is_ascii_lowercase());
    let unknown = unknown.iter().filter(spelt).take(MOST_GUESSES);
    let unknown: Vec<String> = unknown.map(|word| (*word).to_owned()).collect();
    if unknown.is_empty() {
        return Ok(vec![]);
    }
    let known = knowledge::find_similar_terms(db, &unknown).await?;
    let guess = move || {
        unknown
            .iter()
            .filter_map(|word| nearest_words(word, &known))
            .collect()
    };
    let guessed = tokio::task::spawn_blocking(guess).await;
    guessed.map_err(Error::internal)
}

/// Returns the words most similar to an unknown word: one typing error away, or up to two in a long
/// word.
fn nearest_words(word: &str, known: &[(String, i64)]) -> Option<Group> {
    let allowed = if word.len() >= 8 { 2 } else { 1 };
    let near = known.iter().filter_map(|(term, chunks)| {
        if term.len().abs_diff(word.len()) > allowed {
            return None;
        }
        let distance = osa_distance(word, term);
        (distance <= allowed).then_some((distance, term, *chunks))
    });
    let mut near: Vec<_> = near.collect();
    let best = near.iter().map(|(distance, ..)| *distance).min()?;
    near.retain(|(distance, ..)| *distance == best);
    near.truncate(3);
    let terms = near.into_iter().map(|(_, term, chunks)| Term {
        stem: term.clone(),
        chunks,
        closeness: GUESS,
    });
    Some(Group {
        terms: terms.collect(),
    })
}
