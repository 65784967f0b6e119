//! From a question to ranked passages.

use std::collections::{BTreeMap, HashSet};

use strsim::osa_distance;

use search::{
    question::{Question, Wanted},
    ranking::{Group, Ranked, Term, best, fuse, rank},
    related::Relations,
};

use super::{embed_knowledge::follow, semantics::Semantics, synonyms};
use gateway::{Error, Result, Services};
use store::{
    Conn,
    knowledge::{self, Match, Passage, Statistics, Within, vectors},
};

/// Maximum words in a ranking: the rarest of a long question.
const MOST_GROUPS: usize = 32;
/// Chunks that the rarest words must bring before more common ones only rank them, and that common
/// words may add.
const ENOUGH: i64 = 400;
const BUDGET: i64 = 2_000;
/// Maximum words of the base that match a prefix.
const MOST_COMPLETIONS: usize = 50;
/// Maximum misspelt words of a question that are corrected.
const MOST_GUESSES: usize = 6;
/// How much a corrected word counts, compared with a word of the question.
const GUESS: f64 = 0.6;

/// Chunks of each search that are fused.
const FUSED: usize = 50;

/// A passage with its score.
#[derive(Debug)]
pub struct Hit {
    pub passage: Passage,
    pub score: f64,
}

/// The result of a question.
#[derive(Debug, Default)]
pub struct Found {
    /// Best first.
    pub hits: Vec<Hit>,
    /// The stems by which it was found.
    pub terms: HashSet<String>,
    /// Whether it was also searched by meaning.
    pub by_sense: bool,
    /// How much of the question the best passages match, from 0 to 1.
    pub share: f64,
}

/// Searches by words and, if possible, by meaning.
pub async fn find(
    db: &Conn<'_>,
    services: &Services,
    text: &str,
    within: Within<'_>,
    limit: usize,
) -> Result<Found> {
    let question = Question::read(text);
    if question.is_empty() {
        return Ok(Found::default());
    }
    // A quoted expression is searched literally.
    let semantics = services.parts.find::<Semantics>();
    let semantics = semantics.filter(|_| question.phrases.is_empty());
    let (by_words, by_sense) = tokio::join!(
        by_words(db, &question, within),
        by_sense(db, services, semantics, text, within)
    );
    let (mut ranked, terms) = by_words?;
    let near = by_sense?;
    let by_sense = near.is_some();
    if let Some(near) = near {
        ranked.truncate(FUSED);
        ranked = fuse([ranked, near]);
    }
    let ranked = best(ranked, limit);
    let share = ranked.iter().map(|ranked| ranked.share).fold(0.0, f64::max);
    let seqs: Vec<i64> = ranked.iter().map(|ranked| ranked.seq).collect();
    let mut passages: BTreeMap<i64, Passage> = knowledge::passages(db, &seqs).await?;
    let hits = ranked.into_iter().filter_map(|ranked| {
        Some(Hit {
            // Absent when its document was replaced between two statements.
            passage: passages.remove(&ranked.seq)?,
            score: ranked.score,
        })
    });
    Ok(Found {
        hits: hits.collect(),
        terms,
        by_sense,
        share,
    })
}

/// The chunks that hold the words, best first, and the stems that were looked for.
async fn by_words(
    db: &Conn<'_>,
    question: &Question,
    within: Within<'_>,
) -> Result<(Vec<Ranked>, HashSet<String>)> {
    let team = synonyms::read(db, question).await?;
    let (exact, starts) = lookups(question, &team);
    let statistics = knowledge::statistics(db, &exact, &starts, MOST_COMPLETIONS).await?;
    let (groups, unknown) = groups(db, question, &team, &statistics).await?;
    let Some(wanted) = essential(&groups, question, !within.is_all()) else {
        return Ok(Default::default());
    };
    let candidates = knowledge::candidates(db, &wanted, within).await?;
    let ranked = rank(&groups, unknown, statistics.totals, candidates);
    let terms = groups.into_iter().flat_map(|group| group.terms);
    Ok((ranked, terms.map(|term| term.stem).collect()))
}

/// The chunks nearest in meaning; `None` when that search is not available.
async fn by_sense(
    db: &Conn<'_>,
    services: &Services,
    semantics: Option<&Semantics>,
    question: &str,
    within: Within<'_>,
) -> Result<Option<Vec<Ranked>>> {
    let Some(semantics) = semantics.filter(|semantics| !semantics.is_paused()) else {
        return Ok(None);
    };
    follow(services, semantics).await;
    let documents = match (within.documents, within.tags) {
        ([], []) => None,
        ([], tags) => Some(vectors::tagged(db, tags).await?),
        (documents, _) => Some(documents.iter().cloned().collect()),
    };
    Ok(semantics.near(question, documents, FUSED).await)
}

/// The stems to look up exactly, and the prefixes.
fn lookups(question: &Question, team: &Relations) -> (Vec<String>, Vec<String>) {
    let (mut exact, mut starts) = (question.joined.clone(), vec![]);
    for wanted in &question.wanted {
        match wanted {
            Wanted::Word(stem) => {
                let related = team.and_general(stem).into_iter();
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

/// The words of the question that the base contains, each with those related to it, the rarest first, and
/// how many it does not contain.
async fn groups(
    db: &Conn<'_>,
    question: &Question,
    team: &Relations,
    statistics: &Statistics,
) -> Result<(Vec<Group>, usize)> {
    let (mut groups, mut unknown) = (vec![], vec![]);
    for wanted in &question.wanted {
        let group = match wanted {
            Wanted::Word(stem) => {
                let related = team.and_general(stem).into_iter();
                let related = related.filter_map(|(stem, close)| statistics.term(stem, close));
                let group = Group::of(statistics.term(stem, 1.0), related.collect());
                if group.is_none() {
                    unknown.push(stem.as_str());
                }
                group
            }
            Wanted::Prefix { start, stem } => {
                let known = statistics.terms.keys();
                let completed = known.filter(|term| term.starts_with(start) || *term == stem);
                let terms = completed.filter_map(|term| statistics.term(term, 1.0));
                let terms: Vec<Term> = terms.collect();
                (!terms.is_empty()).then_some(Group { terms })
            }
        };
        groups.extend(group);
    }
    let joined = question.joined.iter();
    groups.extend(joined.filter_map(|stem| Group::of(statistics.term(stem, 1.0), vec![])));
    let guessed = guesses(db, &unknown).await?;
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

/// Words of the base that unknown ones may be misspellings of.
async fn guesses(db: &Conn<'_>, unknown: &[&str]) -> Result<Vec<Group>> {
    let spelt = |word: &&&str| word.len() >= 4 && word.bytes().all(|b| b.is_ascii_lowercase());
    let unknown = unknown.iter().filter(spelt).take(MOST_GUESSES);
    let unknown: Vec<String> = unknown.map(|word| (*word).to_owned()).collect();
    if unknown.is_empty() {
        return Ok(vec![]);
    }
    let known = knowledge::similar(db, &unknown).await?;
    let guess = move || {
        unknown
            .iter()
            .filter_map(|word| nearest(word, &known))
            .collect()
    };
    let guessed = tokio::task::spawn_blocking(guess).await;
    guessed.map_err(Error::internal)
}

/// The words nearest to an unknown one: one typing error away, or two in a long word.
fn nearest(word: &str, known: &[(String, i64)]) -> Option<Group> {
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

/// The words that choose the candidates: the rarest, as long as they do not bring too many.
///
/// In a part of the base, the frequency of a word is not known, so all words select.
fn essential(groups: &[Group], question: &Question, in_part: bool) -> Option<Match> {
    let mut wanted = Match {
        phrases: question.phrases.clone(),
        ..Match::default()
    };
    let mut brought = 0;
    for group in groups {
        let chunks = group.chunks();
        let sure = brought + chunks <= ENOUGH;
        if brought >= ENOUGH && brought + chunks > BUDGET && !in_part {
            break;
        }
        let stems = group.terms.iter().map(|term| term.stem.clone());
        if sure {
            wanted.first.extend(stems.clone());
        }
        wanted.any.extend(stems);
        // A correction may be wrong, so it must not select instead of the words of the question.
        if group.closeness() >= 1.0 {
            brought += chunks;
        }
    }
    (!wanted.any.is_empty()).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(term: &str, chunks: i64, closeness: f64) -> Group {
        Group {
            terms: vec![Term {
                stem: term.into(),
                chunks,
                closeness,
            }],
        }
    }

    #[test]
    fn common_words_choose_only_where_rare_ones_bring_too_little() {
        let groups = [
            group("raro", 10, 1.0),
            group("meio", 1_500, 1.0),
            group("comum", 9_000, 1.0),
        ];
        let chosen = |groups: &[Group], tagged| {
            let wanted = essential(groups, &Question::default(), tagged)?;
            Some((wanted.any, wanted.first))
        };
        let words =
            |words: &[&str]| -> Vec<String> { words.iter().map(ToString::to_string).collect() };
        let some = |any: &[&str], first: &[&str]| Some((words(any), words(first)));
        assert_eq!(chosen(&groups, false), some(&["raro", "meio"], &["raro"]));
        let all = ["raro", "meio", "comum"];
        assert_eq!(chosen(&groups, true), some(&all, &["raro"]));
        let scarce = [group("raro", 10, 1.0), group("comum", 9_000, 1.0)];
        assert_eq!(chosen(&scarce, false), some(&["raro", "comum"], &["raro"]));
        assert_eq!(chosen(&groups[2..], false), some(&["comum"], &[]));
        assert_eq!(chosen(&[], false), None);
        let guessed = [
            group("chute", 450, 0.6),
            group("comum", 9_000, 1.0),
            group("outro", 9_500, 1.0),
        ];
        assert_eq!(chosen(&guessed, false), some(&["chute", "comum"], &[]));
    }
}
