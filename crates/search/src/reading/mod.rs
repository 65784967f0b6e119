//! Finds a text in an HTML page as a reader sees it, and returns its position in the source.
//!
//! The search is one pass over the page. Its memory depends only on the length of the search text.
//!
//! The displayed text is searched across inline tags and entities; each of its letters has a byte
//! range in the source. The source itself is searched too, for URLs and attributes. Both take
//! linear time.

mod letters;
mod pieces;
mod scan;

use std::ops::Range;

use letters::{Letters, fold_text};
use pieces::{Piece, displayed_pieces};
use scan::{Needle, Scan};

/// Calls `each`, in order, with the byte range of each place where the text appears in the
/// displayed text or in the source.
///
/// Case, accents and the amount of white space are ignored. Displayed text continues across inline
/// tags; other tags count as a space, and an entity counts as its character. The contents of
/// comments, scripts and styles are not displayed text. Ranges may overlap, but no two have the
/// same start.
pub fn for_each_occurrence(html: &str, text: &str, mut each: impl FnMut(Range<usize>)) {
    let Some(needle) = Needle::new(fold_text(text)) else {
        return;
    };
    let mut source = occurrences_in_source(html, &needle).peekable();
    let mut last = None;
    let mut tell = |at: Range<usize>| {
        if last != Some(at.start) {
            last = Some(at.start);
            each(at);
        }
    };
    let mut reading = Scan::new(&needle);
    let mut letters = Letters::default();
    for piece in displayed_pieces(html) {
        let mut take = |letter, at| {
            let Some(found) = reading.push(letter, at) else {
                return;
            };
            while let Some(earlier) = source.next_if(|other| other.start < found.start) {
                tell(earlier);
            }
            tell(found);
        };
        match piece {
            Piece::Break(at) => letters.emit_space(at, &mut take),
            Piece::Text(at) => letters.emit_text(html, at, &mut take),
        }
    }
    source.for_each(tell);
}

/// Calls `each` with the byte range of every exact occurrence. Ranges may overlap.
pub fn for_each_exact_occurrence(html: &str, text: &str, mut each: impl FnMut(Range<usize>)) {
    let Some(needle) = Needle::new(text.chars().collect()) else {
        return;
    };
    let mut scan = Scan::new(&needle);
    for (at, c) in html.char_indices() {
        if let Some(found) = scan.push(c, at..at + c.len_utf8()) {
            each(found);
        }
    }
}

/// Occurrences in the source itself, including tags and attributes.
fn occurrences_in_source<'a>(
    html: &'a str,
    needle: &'a Needle,
) -> impl Iterator<Item = Range<usize>> {
    let (mut scan, mut letters) = (Scan::new(needle), Letters::default());
    html.char_indices().filter_map(move |(at, c)| {
        let mut found = None;
        letters.emit_letter(c, at..at + c.len_utf8(), &mut |letter, at| {
            let place = scan.push(letter, at);
            found = found.take().or(place);
        });
        found
    })
}

#[cfg(test)]
mod tests;
