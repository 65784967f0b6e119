//! From a question to ranked passages.

use std::collections::{BTreeMap, HashSet};

use super::{
    question::{Question, Wanted},
    ranking::{Group, Ranked, best, fuse, rank},
    semantics::Semantics,
};
use crate::{
    registry::Result,
    store::{
        Conn,
        knowledge::{self, Match, Passage, Statistics, vectors},
    },
};

/// Words that take part in a ranking: the rarest of a long question.
const MOST_GROUPS: usize = 32;
/// Chunks that the chosen words may bring; the more common words only rank them.
const BUDGET: i64 = 2_000;
/// Words of the base that a beginning stands for.
const MOST_COMPLETIONS: usize = 50;
/// Misspelt words of one question that are guessed at.
const MOST_GUESSES: usize = 6;
/// What a guess counts beside a word that was asked for.
const GUESS: f64 = 0.6;

/// Chunks of each search that are fused.
const FUSED: usize = 50;

/// A passage that answers, with its score.
#[derive(Debug)]
pub struct Hit {
    pub passage: Passage,
    pub score: f64,
}

/// What a question finds.
#[derive(Debug, Default)]
pub struct Found {
    /// Best first.
    pub hits: Vec<Hit>,
    /// The stems by which it was found.
    pub terms: HashSet<String>,
    /// Whether it was also searched by sense.
    pub by_sense: bool,
}

/// What a question finds by its words and, where that is possible, by its sense.
pub async fn search(
    db: &Conn<'_>,
    semantics: Option<&Semantics>,
    text: &str,
    tags: &[String],
    limit: usize,
) -> Result<Found> {
    let question = Question::read(text);
    if question.is_empty() {
        return Ok(Found::default());
    }
    // Who puts an expression between quotes wants it to the letter.
    let semantics = semantics.filter(|_| question.phrases.is_empty());
    let (by_words, by_sense) = tokio::join!(
        by_words(db, &question, tags),
        by_sense(db, semantics, text, tags)
    );
    let (mut ranked, terms) = by_words?;
    let near = by_sense?;
    let by_sense = near.is_some();
    if let Some(near) = near {
        ranked.truncate(FUSED);
        ranked = fuse([ranked, near]);
    }
    let ranked = best(ranked, limit);
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
    })
}

/// The chunks that hold the words, best first, and the stems that were looked for.
async fn by_words(
    db: &Conn<'_>,
    question: &Question,
    tags: &[String],
) -> Result<(Vec<Ranked>, HashSet<String>)> {
    let (exact, starts) = lookups(question);
    let statistics = knowledge::statistics(db, &exact, &starts, MOST_COMPLETIONS).await?;
    let groups = groups(db, question, &statistics).await?;
    let Some(wanted) = essential(&groups, question) else {
        return Ok(Default::default());
    };
    let candidates = knowledge::candidates(db, &wanted, tags).await?;
    let ranked = rank(&groups, statistics.totals, candidates);
    let terms = groups.into_iter().flat_map(|group| group.terms);
    Ok((ranked, terms.collect()))
}

/// The chunks nearest in sense; `None` when they cannot be told.
async fn by_sense(
    db: &Conn<'_>,
    semantics: Option<&Semantics>,
    question: &str,
    tags: &[String],
) -> Result<Option<Vec<Ranked>>> {
    let Some(semantics) = semantics else {
        return Ok(None);
    };
    let documents = match tags {
        [] => None,
        tags => Some(vectors::tagged(db, tags).await?),
    };
    Ok(semantics.near(question, documents, FUSED).await)
}

/// The stems to look up as they are, and the beginnings.
fn lookups(question: &Question) -> (Vec<String>, Vec<String>) {
    let (mut exact, mut starts) = (vec![], vec![]);
    for wanted in &question.wanted {
        match wanted {
            Wanted::Word(stem) => exact.push(stem.clone()),
            Wanted::Prefix { start, stem } => {
                exact.push(stem.clone());
                starts.push(start.clone());
            }
        }
    }
    (exact, starts)
}

/// What was asked for, in the words that the base has: the rarest first.
async fn groups(db: &Conn<'_>, question: &Question, statistics: &Statistics) -> Result<Vec<Group>> {
    let (mut groups, mut unknown) = (vec![], vec![]);
    for wanted in &question.wanted {
        let terms: Vec<(&String, i64)> = match wanted {
            Wanted::Word(stem) => statistics.of(stem).into_iter().collect(),
            Wanted::Prefix { start, stem } => {
                let completed = statistics
                    .terms
                    .iter()
                    .filter(|(term, _)| term.starts_with(start.as_str()) || *term == stem);
                completed.map(|(term, chunks)| (term, *chunks)).collect()
            }
        };
        if terms.is_empty() {
            if let Wanted::Word(stem) = wanted {
                unknown.push(stem.as_str());
            }
            continue;
        }
        groups.push(Group {
            chunks: terms.iter().map(|(_, chunks)| chunks).sum(),
            terms: terms.into_iter().map(|(term, _)| term.clone()).collect(),
            trust: 1.0,
        });
    }
    groups.extend(guesses(db, &unknown).await?);
    groups.sort_by(|one, other| {
        let weight = |group: &Group| group.weight(statistics.totals);
        weight(other)
            .total_cmp(&weight(one))
            .then(one.terms.cmp(&other.terms))
    });
    groups.truncate(MOST_GROUPS);
    Ok(groups)
}

/// Words of the base that unknown ones may be misspellings of.
async fn guesses(db: &Conn<'_>, unknown: &[&str]) -> Result<Vec<Group>> {
    let spelt = |word: &&str| word.len() >= 4 && word.bytes().all(|b| b.is_ascii_lowercase());
    let unknown: Vec<&str> = unknown
        .iter()
        .copied()
        .filter(spelt)
        .take(MOST_GUESSES)
        .collect();
    if unknown.is_empty() {
        return Ok(vec![]);
    }
    let known = knowledge::similar(db, &unknown).await?;
    let groups = unknown.into_iter().filter_map(|word| {
        let allowed = if word.len() >= 8 { 2 } else { 1 };
        let near = known.iter().filter_map(|(term, chunks)| {
            let distance = distance(word, term, allowed)?;
            Some((distance, term, *chunks))
        });
        let mut near: Vec<_> = near.collect();
        let best = near.iter().map(|(distance, ..)| *distance).min()?;
        near.retain(|(distance, ..)| *distance == best);
        near.truncate(3);
        Some(Group {
            chunks: near.iter().map(|(_, _, chunks)| chunks).sum(),
            terms: near.into_iter().map(|(_, term, _)| term.clone()).collect(),
            trust: GUESS,
        })
    });
    Ok(groups.collect())
}

/// The words that choose the candidates: the rarest, as long as they do not bring too many.
fn essential(groups: &[Group], question: &Question) -> Option<Match> {
    let mut any = vec![];
    let mut brought = 0;
    for group in groups {
        brought += group.chunks;
        if !any.is_empty() && brought > BUDGET {
            break;
        }
        any.extend(group.terms.iter().cloned());
    }
    let phrases = question.phrases.clone();
    (!any.is_empty()).then_some(Match { any, phrases })
}

/// Letters to change, drop, add or swap, when they are at most `most`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let (a, b) = (one.as_bytes(), other.as_bytes());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut rows = [
        vec![],
        (0..=b.len()).collect::<Vec<_>>(),
        vec![0; b.len() + 1],
    ];
    for i in 1..=a.len() {
        rows[2] = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = least;
        }
        rows.rotate_left(1);
    }
    Some(rows[1][b.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_slips_of_the_hand() {
        for (one, other, expected) in [
            ("mantega", "manteiga", Some(1)),
            ("temepratur", "temperatur", Some(1)),
            ("frang", "frang", Some(0)),
            ("frang", "morang", None),
            ("arroz", "aroz", Some(1)),
            ("abc", "abcdef", None),
        ] {
            assert_eq!(distance(one, other, 1), expected, "{one} {other}");
        }
        assert_eq!(distance("congelamet", "congelment", 2), Some(2));
    }

    #[test]
    fn common_words_do_not_choose_but_one_word_always_does() {
        let group = |term: &str, chunks| Group {
            terms: vec![term.into()],
            chunks,
            trust: 1.0,
        };
        let groups = [
            group("raro", 10),
            group("meio", 1_500),
            group("comum", 9_000),
        ];
        let chosen = |groups: &[Group]| essential(groups, &Question::default()).map(|m| m.any);
        assert_eq!(chosen(&groups), Some(vec!["raro".into(), "meio".into()]));
        assert_eq!(chosen(&groups[2..]), Some(vec!["comum".into()]));
        assert_eq!(chosen(&[]), None);
    }
}
