//! Finds a text in an HTML page as a person reads it, and says where it stands in the source.
//!
//! All of it is one pass over the page and takes memory only for the text that is looked for.
//!
//! The tokenizer gives the letters of the text with the bytes of the source that they come from,
//! across inline tags and entities. The source itself is searched beside it, for addresses and
//! attributes. Time is linear.

mod letters;
mod pieces;
mod scan;

use std::ops::Range;

use letters::{Letters, fold};
use pieces::{Piece, pieces};
use scan::{Needle, Scan};

/// Calls `each` with the bytes of every place in which the text is read or stands in the source, in order.
///
/// Case, accents and the width of white space make no difference. What is read goes on across inline tags;
/// other tags separate like a space, entities count as their character, and the contents of comments,
/// scripts and styles are not read. Places may overlap; of those with one start there is one.
pub fn occurrences(html: &str, text: &str, mut each: impl FnMut(Range<usize>)) {
    let Some(needle) = Needle::new(fold(text)) else {
        return;
    };
    let mut source = in_source(html, &needle).peekable();
    let mut last = None;
    let mut tell = |at: Range<usize>| {
        if last != Some(at.start) {
            last = Some(at.start);
            each(at);
        }
    };
    let mut reading = Scan::new(&needle);
    let mut letters = Letters::default();
    for piece in pieces(html) {
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
            Piece::Break(at) => letters.space(at, &mut take),
            Piece::Text(at) => letters.text(html, at, &mut take),
        }
    }
    source.for_each(tell);
}

/// Calls `each` with the bytes of every exact occurrence. They may overlap.
pub fn exact_occurrences(html: &str, text: &str, mut each: impl FnMut(Range<usize>)) {
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

/// Where the text stands in the source itself, tags and attributes included.
fn in_source<'a>(html: &'a str, needle: &'a Needle) -> impl Iterator<Item = Range<usize>> {
    let (mut scan, mut letters) = (Scan::new(needle), Letters::default());
    html.char_indices().filter_map(move |(at, c)| {
        let mut found = None;
        letters.letter(c, at..at + c.len_utf8(), &mut |letter, at| {
            let place = scan.push(letter, at);
            found = found.take().or(place);
        });
        found
    })
}

#[cfg(test)]
mod tests;
