//! The order of what was found: BM25 over the text and its titles, computed here for both
//! databases, so that they answer alike.

use std::collections::HashMap;

use crate::store::knowledge::{Candidate, Totals};

/// How soon a repeated word stops counting.
const SATURATION: f64 = 1.2;
/// How much a long chunk is held against it.
const LENGTH: f64 = 0.6;
/// What a word in the title counts, in words of the text.
const TITLE: f64 = 2.0;
/// What remains of a score when next to nothing of the question was met.
const FLOOR: f64 = 0.4;
/// What remains of the score of each further chunk of one document.
const REPEATED: f64 = 0.85;

/// Words that count as one: a word, or all that begin alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub terms: Vec<String>,
    /// Chunks that hold any of them.
    pub chunks: i64,
    /// 1 for what was asked, less for a guess at a misspelling.
    pub trust: f64,
}

impl Group {
    /// What finding it tells: the rarer, the more.
    #[must_use]
    pub fn weight(&self, totals: Totals) -> f64 {
        let (all, with) = (count(totals.chunks), count(self.chunks.min(totals.chunks)));
        self.trust * (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }
}

/// A candidate with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub seq: i64,
    pub score: f64,
}

/// The best of the candidates, best first.
#[must_use]
pub fn rank(
    groups: &[Group],
    totals: Totals,
    candidates: &[Candidate],
    limit: usize,
) -> Vec<Ranked> {
    let weights: Vec<f64> = groups.iter().map(|group| group.weight(totals)).collect();
    let mut owners: HashMap<&str, Vec<usize>> = HashMap::new();
    for (owner, group) in groups.iter().enumerate() {
        for term in &group.terms {
            owners.entry(term).or_default().push(owner);
        }
    }
    let average = (count(totals.words) / count(totals.chunks.max(1))).max(1.0);
    let whole: f64 = weights.iter().sum();
    let scored = candidates.iter().map(|candidate| {
        let mut found = vec![0.0; groups.len()];
        let length = count(candidate.terms.split(' ').count() as i64);
        let penalty = 1.0 - LENGTH + LENGTH * length / average;
        let fields = [
            (&candidate.title_terms, TITLE),
            (&candidate.terms, 1.0 / penalty),
        ];
        for (terms, worth) in fields {
            for term in terms.split(' ') {
                for owner in owners.get(term).into_iter().flatten() {
                    found[*owner] += worth;
                }
            }
        }
        let (mut sum, mut met) = (0.0, 0.0);
        for (frequency, weight) in found.iter().zip(&weights) {
            if *frequency > 0.0 {
                sum += weight * frequency * (SATURATION + 1.0) / (frequency + SATURATION);
                met += weight;
            }
        }
        let score = sum * (FLOOR + (1.0 - FLOOR) * met / whole.max(f64::MIN_POSITIVE));
        (candidate, score)
    });
    let mut scored: Vec<(&Candidate, f64)> = scored.filter(|(_, score)| *score > 0.0).collect();
    sort(&mut scored);
    // A document that has much to say leaves room for the others.
    let mut seen: HashMap<&str, i32> = HashMap::new();
    for (candidate, score) in &mut scored {
        let earlier = seen.entry(&candidate.document_id).or_default();
        *score *= REPEATED.powi(*earlier);
        *earlier += 1;
    }
    sort(&mut scored);
    let best = scored.into_iter().take(limit);
    best.map(|(candidate, score)| Ranked {
        seq: candidate.seq,
        score,
    })
    .collect()
}

/// By score; what ties stands in the order in which it was added.
fn sort(scored: &mut [(&Candidate, f64)]) {
    scored.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.seq.cmp(&other.seq)));
}

#[expect(clippy::cast_precision_loss, reason = "no base has 2^52 words")]
fn count(n: i64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(seq: i64, title: &str, terms: &str) -> Candidate {
        Candidate {
            seq,
            document_id: seq.to_string(),
            title_terms: title.into(),
            terms: terms.into(),
        }
    }

    fn group(term: &str, chunks: i64) -> Group {
        Group {
            terms: vec![term.into()],
            chunks,
            trust: 1.0,
        }
    }

    const TOTALS: Totals = Totals {
        chunks: 100,
        words: 400,
    };

    fn order(groups: &[Group], candidates: &[Candidate]) -> Vec<i64> {
        let ranked = rank(groups, TOTALS, candidates, 10);
        ranked.into_iter().map(|r| r.seq).collect()
    }

    #[test]
    fn rare_words_titles_and_short_texts_come_first() {
        let groups = [group("arroz", 2), group("panel", 60)];
        let found = [
            candidate(1, "", "panel panel panel agu"),
            candidate(2, "", "arroz agu fog sal"),
            candidate(3, "arroz", "agu fog sal panel"),
            candidate(4, "", "feij"),
        ];
        assert_eq!(order(&groups, &found), [3, 2, 1]);
        let lengths = [
            candidate(1, "", "arroz a b c d e f g h i j"),
            candidate(2, "", "arroz a"),
        ];
        assert_eq!(order(&groups, &lengths), [2, 1]);
    }

    #[test]
    fn ties_stand_in_order_and_one_document_does_not_fill_the_page() {
        let groups = [group("sal", 5)];
        let mut found: Vec<Candidate> = (1..=4).map(|n| candidate(n, "", "sal a b")).collect();
        assert_eq!(order(&groups, &found), [1, 2, 3, 4]);
        found[1].document_id = "1".into();
        assert_eq!(order(&groups, &found), [1, 3, 4, 2]);
    }
}
