//! The words that a query searches for, and their weights in the ranking.

/// The exponent of the inverse document frequency in a weight. Above 1, it favours the rarest word
/// of a query.
const RARITY: f64 = 1.25;
/// The closeness given to the closest related word if the knowledge base does not contain the word
/// as typed.
const STAND_IN: f64 = 0.9;

/// The size of the knowledge base.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub chunks: i64,
    pub words: i64,
}

/// A word of the knowledge base that a query searches for.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    pub stem: String,
    /// The number of chunks that contain the word.
    pub chunks: i64,
    /// 1 for a word as typed, less for a related word or a spelling correction.
    pub closeness: f64,
}

/// Words that count as one term: a word with its related words, or all words with one prefix.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The terms; never empty.
    pub terms: Vec<Term>,
}

impl Group {
    /// Groups a word with its related words, as far as the knowledge base contains these words. `None`
    /// if the base contains neither the word nor a related word.
    #[must_use]
    pub fn new(typed: Option<Term>, mut related: Vec<Term>) -> Option<Self> {
        let closest = related.iter().map(|t| t.closeness).fold(0.0, f64::max);
        if typed.is_none() {
            for term in &mut related {
                term.closeness *= STAND_IN / closest;
            }
        }
        let terms: Vec<Term> = typed.into_iter().chain(related).collect();
        (!terms.is_empty()).then_some(Self { terms })
    }

    /// Returns the weight of the group in the ranking. Rarer terms weigh more.
    #[must_use]
    pub fn weight(&self, totals: Totals) -> f64 {
        self.closeness() * weight(self.rarity(totals))
    }

    /// Returns the closeness of the group's closest word.
    #[must_use]
    pub fn closeness(&self) -> f64 {
        self.terms.iter().map(|t| t.closeness).fold(0.0, f64::max)
    }

    /// Returns the group's words with the highest closeness.
    pub fn closest_terms(&self) -> impl Iterator<Item = &Term> {
        let closeness = self.closeness();
        self.terms
            .iter()
            .filter(move |term| term.closeness >= closeness)
    }

    /// Returns an upper bound of the number of chunks that contain one of the group's closest words.
    #[must_use]
    pub fn max_chunks(&self) -> i64 {
        self.closest_terms().map(|term| term.chunks).sum()
    }

    /// Returns the rarity of the group's closest words. Other related words are excluded, so that they
    /// do not make a word common.
    pub(crate) fn rarity(&self, totals: Totals) -> f64 {
        rarity(self.max_chunks(), totals)
    }
}

/// Returns the inverse document frequency of a term that occurs in this number of chunks.
pub(crate) fn rarity(chunks: i64, totals: Totals) -> f64 {
    let (all, with) = (to_f64(totals.chunks), to_f64(chunks.min(totals.chunks)));
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// Returns the weight of a term with this rarity.
pub(crate) fn weight(rarity: f64) -> f64 {
    rarity.powf(RARITY)
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 words")]
pub(crate) fn to_f64(n: i64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTALS: Totals = Totals {
        chunks: 100,
        words: 1_000,
    };

    fn term(chunks: i64, closeness: f64) -> Term {
        Term {
            stem: "a".into(),
            chunks,
            closeness,
        }
    }

    #[test]
    fn related_words_do_not_change_the_weight_of_the_typed_word() {
        let typed = Group::new(Some(term(2, 1.0)), vec![term(50, 0.8)]).expect("two words");
        let alone = Group::new(Some(term(2, 1.0)), vec![]).expect("a word");
        assert!((typed.weight(TOTALS) - alone.weight(TOTALS)).abs() < 1e-12);
        assert_eq!((typed.max_chunks(), alone.max_chunks()), (2, 2));
    }

    #[test]
    fn the_closest_related_word_replaces_a_word_that_the_base_lacks() {
        let group = Group::new(None, vec![term(50, 0.8), term(9, 0.4)]).expect("two words");
        let closeness: Vec<f64> = group.terms.iter().map(|term| term.closeness).collect();
        assert_eq!(closeness, [STAND_IN, STAND_IN / 2.0]);
        assert_eq!(Group::new(None, vec![]), None);
    }

    #[test]
    fn a_prefix_with_more_matches_than_chunks_has_a_valid_weight() {
        let weight = |chunks| {
            Group {
                terms: vec![term(chunks, 1.0)],
            }
            .weight(TOTALS)
        };
        assert!(weight(500).is_finite() && weight(500) >= 0.0);
        assert!(weight(500) < weight(99));
    }
}
