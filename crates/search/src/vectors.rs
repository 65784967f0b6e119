//! Vectors of an embedding model, and nearest-neighbour search.

use std::{borrow::Borrow, collections::HashSet, hash::Hash, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use simsimd::SpatialSimilarity;

use super::ranking::Ranked;

/// A vector's direction, quantised to one signed byte per dimension. It needs a quarter of the
/// memory, and a cosine differs by at most 0.001 from that of the original vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    values: Box<[i8]>,
    length: f64,
}

impl Vector {
    /// Quantises a vector, which must not be zero.
    #[must_use]
    pub fn quantize(numbers: &[f32]) -> Self {
        let most = numbers.iter().fold(0.0f32, |most, n| most.max(n.abs()));
        let scale = 127.0 / most.max(f32::MIN_POSITIVE);
        #[expect(clippy::cast_possible_truncation, reason = "the value is within ±127")]
        let values = numbers.iter().map(|n| (n * scale).round() as i8);
        Self::new(values.collect())
    }

    fn new(values: Box<[i8]>) -> Self {
        let length = dot_product(&values, &values).sqrt();
        Self { values, length }
    }

    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.values.len()
    }

    /// Encodes the vector in base64, for storage.
    #[must_use]
    pub fn encode(&self) -> String {
        let bytes: Vec<u8> = self.values.iter().map(|n| n.cast_unsigned()).collect();
        STANDARD.encode(bytes)
    }

    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text).ok().filter(|b| !b.is_empty())?;
        Some(Self::new(bytes.into_iter().map(u8::cast_signed).collect()))
    }

    /// Returns the cosine of two vectors, from -1 (opposite) to 1 (same direction). Both must have the
    /// same length.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f64 {
        let lengths = (self.length * other.length).max(f64::MIN_POSITIVE);
        dot_product(&self.values, &other.values) / lengths
    }
}

/// Returns the exact dot product of vectors of the same length.
fn dot_product(one: &[i8], other: &[i8]) -> f64 {
    i8::dot(one, other).unwrap_or_default()
}

/// A chunk with the vector of its content.
#[derive(Debug, Clone)]
pub struct IndexedVector {
    pub seq: i64,
    pub document_id: String,
    pub sha256: String,
    pub vector: Arc<Vector>,
}

/// Finds the chunks nearest to a query, nearest first. If `documents` is set, searches only chunks
/// of these documents.
#[must_use]
pub fn find_nearest<D: Borrow<str> + Eq + Hash>(
    entries: &[IndexedVector],
    question: &Vector,
    least: f64,
    documents: Option<&HashSet<D>>,
    limit: usize,
) -> Vec<Ranked> {
    let allowed = entries
        .iter()
        .filter(|entry| documents.is_none_or(|ids| ids.contains(entry.document_id.as_str())));
    let comparable = allowed.filter(|entry| entry.vector.dimensions() == question.dimensions());
    let near = comparable.filter_map(|entry| {
        let cosine = entry.vector.cosine(question);
        (cosine >= least).then_some((cosine, entry))
    });
    let mut near: Vec<(f64, &IndexedVector)> = near.collect();
    let nearer = |(a, one): &(f64, &IndexedVector), (b, other): &(f64, &IndexedVector)| {
        b.total_cmp(a).then(one.seq.cmp(&other.seq))
    };
    if near.len() > limit {
        near.select_nth_unstable_by(limit, nearer);
        near.truncate(limit);
    }
    near.sort_by(nearer);
    let near = near.into_iter();
    near.map(|(cosine, entry)| Ranked {
        share: 1.0,
        seq: entry.seq,
        document_id: entry.document_id.clone(),
        score: cosine,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexed_vector(seq: i64, document: &str, numbers: &[f32]) -> IndexedVector {
        IndexedVector {
            seq,
            document_id: document.into(),
            sha256: String::new(),
            vector: Arc::new(Vector::quantize(numbers)),
        }
    }

    #[test]
    fn quantised_vectors_keep_their_angles() {
        let numbers = |seed: u32| -> Vec<f32> {
            let mut state = seed;
            let draw = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 23) as f32 - 1.0
            };
            std::iter::repeat_with(draw).take(1_536).collect()
        };
        let exact = |a: &[f32], b: &[f32]| {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        for seed in 0..20 {
            let a = numbers(seed);
            let noise = numbers(seed + 100);
            let b: Vec<f32> = a.iter().zip(&noise).map(|(a, n)| 0.3 * a + n).collect();
            let approximate = Vector::quantize(&a).cosine(&Vector::quantize(&b));
            let exact = f64::from(exact(&a, &b));
            assert!((approximate - exact).abs() < 0.002, "{approximate} {exact}");
        }
        let tiny = Vector::quantize(&[1e-30, -1e-30]);
        assert!((tiny.cosine(&Vector::quantize(&[4.0, -4.0])) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_stored_vector_decodes_to_the_same_vector() {
        let vector = Vector::quantize(&[0.5, -1.0, 0.0, 0.25]);
        assert_eq!(Vector::decode(&vector.encode()), Some(vector));
        assert_eq!(Vector::decode(""), None);
        assert_eq!(Vector::decode("não"), None);
    }

    #[test]
    fn the_nearest_vectors_come_first_and_vectors_of_other_lengths_are_skipped() {
        let entries = [
            indexed_vector(1, "a", &[0.0, 1.0]),
            indexed_vector(6, "a", &[-0.1, 1.0]),
            indexed_vector(2, "a", &[1.0, 1.0]),
            indexed_vector(3, "b", &[1.0, 0.1]),
            indexed_vector(4, "b", &[1.0, 0.1]),
            indexed_vector(5, "b", &[1.0, 0.0, 0.0]),
        ];
        let question = Vector::quantize(&[1.0, 0.0]);
        let seqs = |documents: Option<&HashSet<String>>, limit| -> Vec<i64> {
            let near = find_nearest(&entries, &question, 0.0, documents, limit);
            near.into_iter().map(|ranked| ranked.seq).collect()
        };
        assert_eq!(seqs(None, 10), [3, 4, 2, 1]);
        assert_eq!(seqs(None, 1), [3]);
        assert_eq!(seqs(Some(&HashSet::from(["a".into()])), 10), [2, 1]);
        assert!(seqs(Some(&HashSet::new()), 10).is_empty());
    }
}
