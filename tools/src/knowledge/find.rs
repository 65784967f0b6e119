//! Finds and ranks the passages for a search query.
//!
//! The full-text index only selects candidates: chunks with any of the rarest words of the query,
//! or with each of its quoted phrases. Rust code ranks them, from the counts in `knowledge_terms`
//! and `knowledge_totals`, so that SQLite and PostgreSQL return the same ranking; a snapshot test
//! checks this. A word that the knowledge base does not contain is replaced by the most similar
//! words that it contains.
//!
//! Reciprocal rank fusion combines the ranking by words and the ranking by meaning. A passage
//! without any of the words needs a minimum similarity, so that a query can have no result.
//! `tests/knowledge/relevance.json` contains sixty queries with their passages; twenty of them were
//! not used for tuning. The suite requires a share of correct results for both groups.

use std::collections::{BTreeMap, HashSet};

use search::{
    group::Group,
    question::Question,
    ranking::{Ranked, fuse_rankings, rank_candidates, select_best},
};

use super::{
    embed_knowledge::load_new_vectors,
    semantics::Semantics,
    synonyms,
    terms::{GUESS, MOST_COMPLETIONS, load_groups, stems_and_prefixes},
};
use gateway::{Result, Services};
use store::{
    Conn,
    knowledge::{self, Match, Passage, Within, vectors},
};

/// Once the rarest words have selected `ENOUGH` chunks, another word selects candidates only while
/// the total stays within `BUDGET`. The remaining words only rank.
const ENOUGH: i64 = 400;
const BUDGET: i64 = 2_000;

/// The maximum number of chunks of each ranking that are merged.
const FUSED: usize = 50;

/// A passage with its score.
#[derive(Debug)]
pub struct Hit {
    pub passage: Passage,
    pub score: f64,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Found {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The stems that the search looked up.
    pub terms: HashSet<String>,
    /// True if the semantic search also ran.
    pub by_sense: bool,
    /// The share of the query that the best passages match, from 0 to 1.
    pub share: f64,
}

/// Runs the full-text search and, if possible, the semantic search.
pub async fn search_passages(
    db: &Conn<'_>,
    services: &Services,
    text: &str,
    within: Within<'_>,
    limit: usize,
) -> Result<Found> {
    let question = Question::parse(text);
    if question.is_empty() {
        return Ok(Found::default());
    }
    // A query with a quoted phrase skips the semantic search, because the phrase must match
    // literally.
    let semantics = services.parts.find::<Semantics>();
    let semantics = semantics.filter(|_| question.phrases.is_empty());
    let (by_words, by_sense) = tokio::join!(
        search_by_words(db, &question, within),
        search_by_meaning(db, services, semantics, text, within)
    );
    let (mut ranked, terms) = by_words?;
    let near = by_sense?;
    let by_sense = near.is_some();
    if let Some(near) = near {
        ranked.truncate(FUSED);
        ranked = fuse_rankings([ranked, near]);
    }
    let ranked = select_best(ranked, limit);
    let share = ranked.iter().map(|ranked| ranked.share).fold(0.0, f64::max);
    let seqs: Vec<i64> = ranked.iter().map(|ranked| ranked.seq).collect();
    let mut passages: BTreeMap<i64, Passage> = knowledge::load_passages(db, &seqs).await?;
    let hits = ranked.into_iter().filter_map(|ranked| {
        Some(Hit {
            // A concurrent write may have replaced the document since it was ranked.
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

/// Runs the full-text search. Returns the chunks that contain the words, best first, and the stems that
/// were looked up.
async fn search_by_words(
    db: &Conn<'_>,
    question: &Question,
    within: Within<'_>,
) -> Result<(Vec<Ranked>, HashSet<String>)> {
    let team = synonyms::load_synonyms(db, question).await?;
    let (exact, starts) = stems_and_prefixes(question, &team);
    let statistics = knowledge::load_statistics(db, &exact, &starts, MOST_COMPLETIONS).await?;
    let (groups, unknown) = load_groups(db, question, &team, &statistics).await?;
    let Some(wanted) = candidate_match(&groups, question, !within.is_unrestricted()) else {
        return Ok(Default::default());
    };
    let candidates = knowledge::load_candidates(db, &wanted, within).await?;
    let ranked = rank_candidates(&groups, unknown, statistics.totals, candidates);
    let terms = groups.into_iter().flat_map(|group| group.terms);
    Ok((ranked, terms.map(|term| term.stem).collect()))
}

/// Runs the semantic search. Returns the most similar chunks; `None` if the provider is not available.
async fn search_by_meaning(
    db: &Conn<'_>,
    services: &Services,
    semantics: Option<&Semantics>,
    question: &str,
    within: Within<'_>,
) -> Result<Option<Vec<Ranked>>> {
    let Some(semantics) = semantics.filter(|semantics| !semantics.is_provider_paused()) else {
        return Ok(None);
    };
    load_new_vectors(services, semantics).await;
    let documents = match (within.documents, within.tags) {
        ([], []) => None,
        ([], tags) => Some(vectors::list_tagged_documents(db, tags).await?),
        (documents, _) => Some(documents.iter().cloned().collect()),
    };
    Ok(semantics.nearest_chunks(question, documents, FUSED).await)
}

/// Chooses the words that select the candidates: the rarest words, within the limits.
///
/// If the search is limited to some documents or tags, the frequency of a word in this part is
/// unknown, so all words select candidates.
fn candidate_match(groups: &[Group], question: &Question, in_part: bool) -> Option<Match> {
    let mut wanted = Match {
        phrases: question.phrases.clone(),
        ..Match::default()
    };
    let mut brought = 0;
    for group in groups {
        let mut chunks = group.max_chunks();
        if brought >= ENOUGH && brought + chunks > BUDGET && !in_part {
            break;
        }
        let mut stems: Vec<&str> = group
            .closest_terms()
            .map(|term| term.stem.as_str())
            .collect();
        // Related words select candidates only within `BUDGET`; they always rank.
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
        // A corrected word may be wrong, so its chunks do not use up the budget of the words of the
        // query.
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

    fn single_term_group(term: &str, chunks: i64, closeness: f64) -> Group {
        Group {
            terms: vec![Term {
                stem: term.into(),
                chunks,
                closeness,
            }],
        }
    }

    #[test]
    fn common_words_select_only_if_rare_words_select_too_few() {
        let groups = [
            single_term_group("raro", 10, 1.0),
            single_term_group("meio", 1_500, 1.0),
            single_term_group("comum", 9_000, 1.0),
        ];
        let chosen = |groups: &[Group], tagged| {
            let wanted = candidate_match(groups, &Question::default(), tagged)?;
            Some((wanted.any, wanted.first))
        };
        let words =
            |words: &[&str]| -> Vec<String> { words.iter().map(ToString::to_string).collect() };
        let some = |any: &[&str], first: &[&str]| Some((words(any), words(first)));
        assert_eq!(chosen(&groups, false), some(&["raro", "meio"], &["raro"]));
        let all = ["raro", "meio", "comum"];
        assert_eq!(chosen(&groups, true), some(&all, &["raro"]));
        let scarce = [
            single_term_group("raro", 10, 1.0),
            single_term_group("comum", 9_000, 1.0),
        ];
        assert_eq!(chosen(&scarce, false), some(&["raro", "comum"], &["raro"]));
        assert_eq!(chosen(&groups[2..], false), some(&["comum"], &[]));
        assert_eq!(chosen(&[], false), None);
        let guessed = [
            single_term_group("chute", 450, 0.6),
            single_term_group("comum", 9_000, 1.0),
            single_term_group("outro", 9_500, 1.0),
        ];
        assert_eq!(chosen(&guessed, false), some(&["chute", "comum"], &[]));
    }

    #[test]
    fn related_words_select_only_within_the_budget() {
        let related = |chunks| {
            let mut chicken = single_term_group("frang", 1_500, 1.0);
            chicken.terms.push(Term {
                stem: "ave".into(),
                chunks,
                closeness: 0.8,
            });
            let wanted = candidate_match(&[chicken], &Question::default(), false);
            wanted.map(|wanted| wanted.any.len())
        };
        assert_eq!((related(500), related(501)), (Some(2), Some(1)));
    }
}
