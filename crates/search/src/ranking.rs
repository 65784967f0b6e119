//! Ranking: BM25 over text and titles, and its fusion with the results of another search. BM25 is
//! computed here so that both databases give the same order.
//!
//! Each score is multiplied by a factor for the share of the query that the chunk matches.

use std::collections::HashMap;

use serde::Deserialize;

use super::group::{Group, Term, Totals, rarity, to_f64, weight};

/// A chunk to rank.
#[derive(Debug, Clone, Deserialize)]
pub struct Candidate {
    pub seq: i64,
    pub document_id: String,
    pub title_terms: String,
    pub terms: String,
}

/// BM25's k1: how quickly repetitions of a word saturate.
const SATURATION: f64 = 1.2;
/// BM25's b: how much the length of a chunk lowers its score.
const LENGTH: f64 = 0.6;
/// One occurrence in the title counts as this number of occurrences in the text.
const TITLE: f64 = 2.0;
/// The factor for a chunk that matches almost none of the query.
const FLOOR: f64 = 0.25;
/// The factor that reduces the score of each further chunk of the same document.
const REPEATED: f64 = 0.85;
/// The constant k of reciprocal rank fusion. A larger k reduces the advantage of the first places
/// (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", 2009).
const EVENNESS: f64 = 60.0;

/// A chunk with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub seq: i64,
    pub document_id: String,
    pub score: f64,
    /// The matched share of the query, weighted by the rarity of its words, from 0 to 1; 1 for a
    /// result of the vector search.
    pub share: f64,
}

/// Ranks the candidates that match at least one word of the query, best first. `unknown` is the number
/// of words of the query that the knowledge base does not contain.
#[must_use]
pub fn rank_candidates(
    groups: &[Group],
    unknown: usize,
    totals: Totals,
    candidates: Vec<Candidate>,
) -> Vec<Ranked> {
    let rarities: Vec<f64> = groups.iter().map(|group| group.rarity(totals)).collect();
    let mut owners: HashMap<&str, Vec<(usize, &Term, f64)>> = HashMap::new();
    for (owner, group) in groups.iter().enumerate() {
        for term in &group.terms {
            // A common word has a low weight, even if it is related to a rare word of the query.
            let own = rarity(term.chunks, totals).min(rarities[owner]);
            let weight = term.closeness * weight(own);
            let owners = owners.entry(&term.stem).or_default();
            owners.push((owner, term, weight));
        }
    }
    let average = (to_f64(totals.words) / to_f64(totals.chunks.max(1))).max(1.0);
    let whole: f64 = groups.iter().map(|group| group.weight(totals)).sum();
    let unknown = f64::from(u32::try_from(unknown).unwrap_or(u32::MAX)) * rarity(0, totals);
    let asked = unknown + rarities.iter().sum::<f64>();
    let scored = candidates.into_iter().map(|candidate| {
        let mut found = vec![Met::default(); groups.len()];
        let length = to_f64(candidate.terms.split(' ').count() as i64);
        let penalty = 1.0 - LENGTH + LENGTH * length / average;
        let fields = [
            (&candidate.title_terms, TITLE),
            (&candidate.terms, 1.0 / penalty),
        ];
        for (terms, worth) in fields {
            for stem in terms.split(' ') {
                for (owner, term, weight) in owners.get(stem).into_iter().flatten() {
                    found[*owner].add_occurrences(worth * term.closeness, term.closeness, *weight);
                }
            }
        }
        let (mut sum, mut met, mut share) = (0.0, 0.0, 0.0);
        for (group, rarity) in found.iter().zip(&rarities) {
            share += group.closeness * rarity;
            sum += group.weight * (SATURATION + 1.0) * group.frequency
                / (group.frequency + SATURATION);
            met += group.weight;
        }
        let score = sum * (FLOOR + (1.0 - FLOOR) * met / whole.max(f64::MIN_POSITIVE));
        Ranked {
            seq: candidate.seq,
            document_id: candidate.document_id,
            score,
            share: share / asked.max(f64::MIN_POSITIVE),
        }
    });
    let mut scored: Vec<Ranked> = scored.filter(|ranked| ranked.score > 0.0).collect();
    sort_by_score(&mut scored);
    scored
}

/// The match between a chunk and a group of words.
#[derive(Debug, Clone, Default)]
struct Met {
    frequency: f64,
    /// `closeness` and `weight` are maxima over the words of the group that occur in the chunk.
    closeness: f64,
    weight: f64,
}

impl Met {
    fn add_occurrences(&mut self, frequency: f64, closeness: f64, weight: f64) {
        self.frequency += frequency;
        self.closeness = self.closeness.max(closeness);
        self.weight = self.weight.max(weight);
    }
}

/// Combines two rankings (reciprocal rank fusion). The score is 1 for a chunk that is first in both
/// rankings, and 0.5 for a chunk that is first in one ranking and absent from the other ranking.
#[must_use]
pub fn fuse_rankings(lists: [Vec<Ranked>; 2]) -> Vec<Ranked> {
    let mut fused: HashMap<i64, Ranked> = HashMap::new();
    for list in lists {
        for (place, ranked) in (1u32..).zip(list) {
            let worth = (EVENNESS + 1.0) / (EVENNESS + f64::from(place)) / 2.0;
            let known = fused.entry(ranked.seq);
            known
                .and_modify(|known| {
                    known.score += worth;
                    known.share = known.share.max(ranked.share);
                })
                .or_insert(Ranked {
                    score: worth,
                    ..ranked
                });
        }
    }
    let mut fused: Vec<Ranked> = fused.into_values().collect();
    sort_by_score(&mut fused);
    fused
}

/// Returns the `limit` best chunks. First lowers the score of each further chunk of the same document.
#[must_use]
pub fn select_best(mut ranked: Vec<Ranked>, limit: usize) -> Vec<Ranked> {
    let mut seen: HashMap<String, i32> = HashMap::new();
    for chunk in &mut ranked {
        let earlier = seen.entry(chunk.document_id.clone()).or_default();
        chunk.score *= REPEATED.powi(*earlier);
        *earlier += 1;
    }
    sort_by_score(&mut ranked);
    ranked.truncate(limit);
    ranked
}

/// Sorts by descending score; equal scores keep the order of insertion.
fn sort_by_score(ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.seq.cmp(&b.seq)));
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
            terms: vec![Term {
                stem: term.into(),
                chunks,
                closeness: 1.0,
            }],
        }
    }

    const TOTALS: Totals = Totals {
        chunks: 100,
        words: 400,
    };

    fn ranked_order(groups: &[Group], candidates: &[Candidate]) -> Vec<i64> {
        let ranked = select_best(rank_candidates(groups, 0, TOTALS, candidates.to_vec()), 10);
        ranked.into_iter().map(|r| r.seq).collect()
    }

    #[test]
    fn results_of_both_searches_rank_before_results_of_one() {
        let list = |seqs: &[i64]| -> Vec<Ranked> {
            let ranked = seqs.iter().map(|seq| Ranked {
                seq: *seq,
                document_id: seq.to_string(),
                score: 9.0,
                share: 1.0,
            });
            ranked.collect()
        };
        let fused = fuse_rankings([list(&[1, 2, 3]), list(&[3, 4])]);
        let seqs: Vec<i64> = fused.iter().map(|ranked| ranked.seq).collect();
        assert_eq!(seqs, [3, 1, 2, 4]);
        let same = fuse_rankings([list(&[7]), list(&[7])]);
        assert!((same[0].score - 1.0).abs() < 1e-12);
        assert!((fuse_rankings([list(&[7]), vec![]])[0].score - 0.5).abs() < 1e-12);
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
        assert_eq!(ranked_order(&groups, &found), [3, 2, 1]);
        let lengths = [
            candidate(1, "", "arroz a b c d e f g h i j"),
            candidate(2, "", "arroz a"),
        ];
        assert_eq!(ranked_order(&groups, &lengths), [2, 1]);
    }

    #[test]
    fn a_related_word_counts_less_than_the_word_as_typed_and_does_not_make_it_common() {
        let poultry = Term {
            stem: "ave".into(),
            chunks: 50,
            closeness: 0.7,
        };
        let alone = group("frang", 2);
        let (typed, alone) = (alone.terms[0].clone(), alone.weight(TOTALS));
        let chicken = Group::new(Some(typed), vec![poultry]).expect("two words");
        assert!((chicken.weight(TOTALS) - alone).abs() < 1e-12);
        let found = [
            candidate(1, "", "ave ave ave ave"),
            candidate(2, "", "sal agu fog frang"),
            candidate(3, "", "sal agu fog ave"),
            candidate(4, "", "sal agu fog panel"),
        ];
        assert_eq!(ranked_order(&[chicken], &found), [2, 1, 3]);
    }

    #[test]
    fn a_rare_word_outweighs_three_common_ones() {
        let common = ["hor", "sai", "post"].map(|term| group(term, 25));
        let groups = [&[group("linkedin", 2)], &common[..]].concat();
        let found = [
            candidate(1, "", "hor sai post agend"),
            candidate(2, "", "linkedin artig assin pesso"),
        ];
        assert_eq!(ranked_order(&groups, &found), [2, 1]);
    }

    #[test]
    fn unknown_words_reduce_the_share_and_fusion_keeps_the_larger_share() {
        let groups = [group("arroz", 2), group("panel", 2)];
        let share = |unknown, terms: &str| {
            rank_candidates(&groups, unknown, TOTALS, vec![candidate(1, "", terms)])[0].share
        };
        assert!((share(0, "arroz panel") - 1.0).abs() < 1e-12);
        assert!((share(0, "arroz agu") - 0.5).abs() < 1e-12);
        assert!(share(1, "arroz panel") < 0.67);
        let ranked =
            |unknown| rank_candidates(&groups, unknown, TOTALS, vec![candidate(1, "", "arroz")]);
        let fused = fuse_rankings([ranked(0), ranked(9)]);
        assert!((fused[0].share - 0.5).abs() < 1e-12);
    }

    #[test]
    fn ties_keep_their_order_and_one_document_does_not_fill_the_page() {
        let groups = [group("sal", 5)];
        let mut found: Vec<Candidate> = (1..=4).map(|n| candidate(n, "", "sal a b")).collect();
        assert_eq!(ranked_order(&groups, &found), [1, 2, 3, 4]);
        found[1].document_id = "1".into();
        assert_eq!(ranked_order(&groups, &found), [1, 3, 4, 2]);
    }
}
