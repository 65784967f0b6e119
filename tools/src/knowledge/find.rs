//! Finds the ranked passages for a question.
//!
//! The index only selects candidates: chunks with any of the question's rarest words, or with each
//! of its expressions. They are ranked in Rust, from counts that `knowledge_terms` and
//! `knowledge_totals` keep for both databases, so both answer alike. A snapshot checks this. A word
//! that the base does not contain is compared with those that it does.
//!
//! The two rankings, by words and by meaning, are combined by reciprocal rank fusion. A passage
//! with none of the words must be near enough in meaning, so that an empty result remains possible.
//! `tests/knowledge/relevance.json` holds sixty questions with their passages, twenty of them held
//! out of the tuning; the suite requires a share of right answers from both parts.

use std::collections::{BTreeMap, HashSet};

use search::{
    group::Group,
    question::Question,
    ranking::{Ranked, best, fuse, rank},
};

use super::{
    embed_knowledge::follow,
    semantics::Semantics,
    synonyms,
    terms::{GUESS, MOST_COMPLETIONS, groups, lookups},
};
use gateway::{Result, Services};
use store::{
    Conn,
    knowledge::{self, Match, Passage, Within, vectors},
};

/// Once the rarest words have selected `ENOUGH` chunks, a further word selects only while the total
/// stays within `BUDGET`. The remaining words only rank.
const ENOUGH: i64 = 400;
const BUDGET: i64 = 2_000;

/// Chunks of each search that are merged into one ranking.
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
    /// The stems that were searched for.
    pub terms: HashSet<String>,
    /// True if the search by meaning also ran.
    pub by_sense: bool,
    /// The share of the question that the best passages match, from 0 to 1.
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
    // The search by meaning is skipped if the question quotes an expression, which is searched
    // literally.
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
            // Absent if its document was replaced between the two statements.
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

/// The chunks that contain the words, best first, and the stems that were searched for.
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

/// The chunks nearest in meaning; `None` if that search is not available.
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

/// The words that select the candidates: the rarest ones, as far as the limits allow.
///
/// In a part of the base the frequency of a word is unknown, so all words select.
fn essential(groups: &[Group], question: &Question, in_part: bool) -> Option<Match> {
    let mut wanted = Match {
        phrases: question.phrases.clone(),
        ..Match::default()
    };
    let mut brought = 0;
    for group in groups {
        let mut chunks = group.chunks();
        if brought >= ENOUGH && brought + chunks > BUDGET && !in_part {
            break;
        }
        let mut stems: Vec<&str> = group.closest().map(|term| term.stem.as_str()).collect();
        // Related words select candidates only while there is room, and always rank them.
        for term in &group.terms {
            let has_room = in_part || brought + chunks + term.chunks <= BUDGET;
            if has_room && !stems.contains(&term.stem.as_str()) {
                stems.push(&term.stem);
                chunks += term.chunks;
            }
        }
        let stems = stems.into_iter().map(str::to_owned);
        if brought + chunks <= ENOUGH {
            wanted.first.extend(stems.clone());
        }
        wanted.any.extend(stems);
        // A corrected word may be wrong, so its chunks do not reduce the room for the words of the
        // question.
        if group.closeness() > GUESS {
            brought += chunks;
        }
    }
    (!wanted.any.is_empty()).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use search::group::Term;

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

    #[test]
    fn related_words_choose_only_where_there_is_room() {
        let related = |chunks| {
            let mut chicken = group("frang", 1_500, 1.0);
            chicken.terms.push(Term {
                stem: "ave".into(),
                chunks,
                closeness: 0.8,
            });
            let wanted = essential(&[chicken], &Question::default(), false);
            wanted.map(|wanted| wanted.any.len())
        };
        assert_eq!((related(500), related(501)), (Some(2), Some(1)));
    }
}
