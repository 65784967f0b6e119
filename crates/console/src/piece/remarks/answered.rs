//! Shows, beside the remarks, how the passages of answered threads have changed.

use std::{collections::BTreeMap, ops::Range};

use domain::Revision;
use maud::{Markup, html};

use super::{
    super::model::Piece,
    model::{Remark, Thread},
};
use crate::diff::{Alignment, draw_word_diff};

/// The maximum number of earlier captions that are compared with the current caption. The newest are
/// compared first.
const MOST_COMPARED: usize = 8;
/// The maximum total length of two captions that are compared, in bytes.
const LONGEST: usize = 12_000;

/// The captions that the authors of answered threads read, each compared with the current caption.
pub(super) struct AnsweredPassages<'p> {
    piece: &'p Piece,
    compared: BTreeMap<Revision, Alignment<'p>>,
}

impl<'p> AnsweredPassages<'p> {
    pub fn compare(piece: &'p Piece, threads: &[Thread]) -> Self {
        let answered = threads.iter().map(|thread| &thread.first);
        let read = answered.filter(|first| is_answered_passage(first));
        let mut read: Vec<Revision> = read.map(|first| first.api_revision).collect();
        read.sort_unstable();
        read.dedup();
        read.reverse();
        read.retain(|revision| {
            let length = piece.caption_at(*revision).len() + piece.caption().len();
            piece.covers_revision(*revision) && length <= LONGEST
        });
        read.truncate(MOST_COMPARED);
        let compared = read.into_iter().map(|revision| {
            let before = piece.caption_at(revision);
            (revision, Alignment::align_words(before, piece.caption()))
        });
        Self {
            piece,
            compared: compared.collect(),
        }
    }

    /// Draws the difference between the old and the current text of the passage of an answered thread.
    pub fn draw(&self, first: &Remark) -> Markup {
        let compared = self.compared.get(&first.api_revision);
        let compared = compared.filter(|_| is_answered_passage(first));
        let counterpart = compared.and_then(|alignment| {
            let caption = self.piece.caption_at(first.api_revision);
            Some(alignment.find_counterpart(&find_passage(caption, first)?))
        });
        html! {
            @if let Some((before, after)) = counterpart {
                div class="then-now" {
                    @if before == after {
                        p class="soft" { "O trecho não mudou." }
                    } @else {
                        p class="soft" { "Este trecho agora:" }
                        div dir="auto" { (draw_word_diff(before, after)) }
                    }
                }
            }
        }
    }
}

fn is_answered_passage(first: &Remark) -> bool {
    let place = first.ancora.as_ref();
    let is_of_caption =
        place.is_some_and(|place| place.trecho.is_some() && place.template_id.is_none());
    is_of_caption && first.respondido_na_revisao.is_some()
}

/// Returns the byte range of the passage in the caption that the author read.
fn find_passage(caption: &str, first: &Remark) -> Option<Range<usize>> {
    let place = first.ancora.as_ref()?;
    let passage = place.trecho.as_deref().filter(|text| !text.is_empty())?;
    let start = caption.char_indices().nth(place.posicao?)?.0;
    let range = start..start + passage.len();
    (caption.get(range.clone()) == Some(passage)).then_some(range)
}
