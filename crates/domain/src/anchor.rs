//! The place of a remark on a piece.
//!
//! A passage of the caption is stored as its text and its position in the caption that the author
//! read. In a later caption it is the occurrence nearest to that position. Positions count
//! characters from 0.

use serde::{Deserialize, Serialize};

use crate::{Attached, Event, MediaId, TemplateId, time::Millis};

/// The part of a piece that a remark is about. A remark on a whole piece has no anchor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tipo")]
pub enum Anchor {
    /// A passage of the caption.
    #[serde(rename = "legenda")]
    Caption { trecho: String, posicao: usize },
    /// A point of an image, or a rectangle if it has a size; all as fractions of the image.
    #[serde(rename = "imagem")]
    Image {
        media_id: MediaId,
        x: f64,
        y: f64,
        size: Option<(f64, f64)>,
    },
    /// A moment of a video, in seconds.
    #[serde(rename = "video")]
    Video { media_id: MediaId, segundo: f64 },
    /// A passage of the HTML of an e-mail draft: its text and position in the version of the draft
    /// that was stored at `lido_em`.
    #[serde(rename = "email")]
    Email {
        template_id: TemplateId,
        trecho: String,
        posicao: usize,
        lido_em: Millis,
    },
}

/// The place of an anchor in the current state of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The position of the passage in the current caption or draft.
    Position(usize),
    /// The medium is attached.
    Medium,
    /// The passage is not in the caption, or the medium is no longer attached.
    Gone,
}

impl Anchor {
    /// Returns the id of the e-mail draft, if the anchor is a passage of a draft.
    #[must_use]
    pub fn template_id(&self) -> Option<&TemplateId> {
        match self {
            Self::Email { template_id, .. } => Some(template_id),
            _ => None,
        }
    }

    /// Returns the position that the passage of an e-mail draft had in the version that the author
    /// read.
    #[must_use]
    pub fn draft_position(&self) -> Option<i64> {
        match self {
            Self::Email { posicao, .. } => i64::try_from(*posicao).ok(),
            _ => None,
        }
    }

    /// Finds the anchor in the current state of its piece. `passage_at` is where the passage of an
    /// e-mail draft begins now.
    #[must_use]
    pub fn find_in(&self, event: &Event, passage_at: Option<usize>) -> Place {
        match self {
            Self::Email { .. } => passage_at.map_or(Place::Gone, Place::Position),
            Self::Caption { trecho, posicao } => {
                let caption = event.description.as_deref().unwrap_or_default();
                find_passage(caption, trecho, *posicao).map_or(Place::Gone, Place::Position)
            }
            Self::Image { media_id, .. } | Self::Video { media_id, .. } => {
                let is_same = |media: &Attached| media.id == *media_id;
                match event.media.iter().any(is_same) {
                    true => Place::Medium,
                    false => Place::Gone,
                }
            }
        }
    }
}

/// Returns the position of the occurrence of `passage` in `text` that is nearest to `position`. If
/// two occurrences are equally near, returns the position of the earlier one. Returns `None` if the
/// text does not contain the passage, or if the passage is empty.
///
/// Takes time in proportion to the length of the text, because it searches for only two occurrences:
/// the last one before the position and the first one from it on.
#[must_use]
pub fn find_passage(text: &str, passage: &str, position: usize) -> Option<usize> {
    if passage.is_empty() {
        return None;
    }
    let start = text.char_indices().nth(position);
    let start = start.map_or(text.len(), |(byte, _)| byte);
    let after = text[start..].find(passage).map(|at| start + at);
    // An occurrence that begins before `start` ends before this byte.
    let end = text.floor_char_boundary((start + passage.len()).saturating_sub(1));
    let before = text[..end].rfind(passage).filter(|at| *at < start);
    let distance = |at: usize| text[at.min(start)..at.max(start)].chars().count();
    let nearest = match (before, after) {
        (Some(before), Some(after)) if distance(after) < distance(before) => after,
        (Some(before), _) => before,
        (None, after) => after?,
    };
    Some(text[..nearest].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_found_where_it_was_and_where_it_moved() {
        let caption = "Água fria. Massa lisa. Forno quente.";
        assert_eq!(find_passage(caption, "Massa lisa", 11), Some(11));
        let longer = format!("🍞 Ação! {caption}");
        assert_eq!(find_passage(&longer, "Massa lisa", 11), Some(19));
        assert_eq!(find_passage(caption, "Massa lisa", 400), Some(11));
        assert_eq!(find_passage(caption, "massa lisa", 11), None);
        assert_eq!(find_passage(caption, "", 0), None);
        assert_eq!(find_passage("", "x", 3), None);
    }

    #[test]
    fn the_nearest_of_repeated_passages_is_found() {
        let text = "pão, pão, pão";
        for (position, found) in [
            (0, 0),
            (1, 0),
            (2, 0),
            (3, 5),
            (5, 5),
            (7, 5),
            (8, 10),
            (99, 10),
        ] {
            assert_eq!(
                find_passage(text, "pão", position),
                Some(found),
                "{position}"
            );
        }
        // Both occurrences are equally near, so the earlier one is found.
        assert_eq!(find_passage("ab..ab", "ab", 2), Some(0));
        assert_eq!(find_passage("a.a", "a", 1), Some(0));
    }

    #[test]
    fn occurrences_may_overlap() {
        for position in 0..6 {
            let found = find_passage("ããããããã", "ãã", position);
            assert_eq!(found, Some(position));
        }
        assert_eq!(find_passage("ããããããã", "ãã", 6), Some(5));
        assert_eq!(find_passage("ababa", "aba", 1), Some(0));
        assert_eq!(find_passage("ababa", "aba", 2), Some(2));
    }

    #[test]
    fn the_result_equals_a_comparison_at_every_position() {
        let letters = ['a', 'é', '🍞'];
        let texts = (0..3_usize.pow(7)).map(|number| {
            let digits = (0..7).map(|place| letters[number / 3_usize.pow(place) % 3]);
            digits.collect::<String>()
        });
        for text in texts.step_by(11) {
            let characters: Vec<char> = text.chars().collect();
            for passage in ["a", "aé", "éa", "🍞🍞", "aaa"] {
                let wanted: Vec<char> = passage.chars().collect();
                let places = 0..=characters.len().saturating_sub(wanted.len());
                let matches = places.filter(|at| characters[*at..].starts_with(&wanted));
                let matches: Vec<usize> = matches.collect();
                for position in 0..9_usize {
                    let end = position.min(characters.len());
                    let nearest = matches.iter().copied().min_by_key(|at| at.abs_diff(end));
                    assert_eq!(
                        find_passage(&text, passage, position),
                        nearest,
                        "{text} {passage}"
                    );
                }
            }
        }
    }
}
