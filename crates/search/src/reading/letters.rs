//! Normalises text for comparison: without case and accents, with runs of white space as one space.

use std::ops::Range;

use html5gum::{Token, Tokenizer};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Returns the normalised letters of a search text, without leading and trailing white space. A text
/// that is only white space becomes one space.
pub(super) fn fold_text(text: &str) -> Vec<char> {
    let mut folded = vec![];
    let mut letters = Letters::default();
    for c in text.chars() {
        letters.emit_letter(c, 0..0, &mut |letter, _| folded.push(letter));
    }
    if folded.is_empty() && text.contains(char::is_whitespace) {
        return vec![' '];
    }
    if folded.last() == Some(&' ') {
        folded.pop();
    }
    folded
}

/// Emits the normalised letters of a source text with their byte ranges.
#[derive(Default)]
pub(super) struct Letters {
    /// True if a letter was emitted since the last space.
    after_letter: bool,
}

impl Letters {
    /// Emits a space, unless no letter was emitted since the last space.
    pub fn emit_space(&mut self, at: Range<usize>, take: &mut impl FnMut(char, Range<usize>)) {
        if std::mem::take(&mut self.after_letter) {
            take(' ', at);
        }
    }

    /// Emits the normalised letters of one character, which may be none or several.
    pub fn emit_letter(
        &mut self,
        c: char,
        at: Range<usize>,
        take: &mut impl FnMut(char, Range<usize>),
    ) {
        if c.is_ascii_graphic() {
            self.after_letter = true;
            take(c.to_ascii_lowercase(), at);
            return;
        }
        // Lower-casing can produce a decomposed character (İ).
        let plain = std::iter::once(c).nfkd().flat_map(char::to_lowercase);
        for letter in plain.filter(|c| !is_combining_mark(*c) && !is_invisible(*c)) {
            if letter.is_whitespace() {
                self.emit_space(at.clone(), take);
            } else {
                self.after_letter = true;
                take(letter, at.clone());
            }
        }
    }

    /// Emits the letters of a text in the source; an entity counts as its character.
    pub fn emit_text(
        &mut self,
        html: &str,
        part: Range<usize>,
        take: &mut impl FnMut(char, Range<usize>),
    ) {
        let mut at = part.start;
        while let Some(c) = html[at..part.end].chars().next() {
            let rest = &html[at..part.end];
            if let Some((decoded, length)) = decode_entity(rest) {
                for c in decoded.chars() {
                    self.emit_letter(c, at..at + length, take);
                }
                at += length;
                continue;
            }
            // A combining accent belongs to the letter before it.
            let accents = &rest[c.len_utf8()..];
            let end = accents.find(|c| !is_combining_mark(c));
            let length = c.len_utf8() + end.unwrap_or(accents.len());
            self.emit_letter(c, at..at + length, take);
            at += length;
        }
    }
}

/// Returns true for zero-width characters: soft hyphens, joiners and direction marks.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
    )
}

/// Decodes the entity at the start of the text; returns it with its length in bytes.
fn decode_entity(text: &str) -> Option<(String, usize)> {
    let name = text.strip_prefix('&')?;
    let digits = name.strip_prefix('#').unwrap_or(name);
    let length = digits.find(|c: char| !c.is_ascii_alphanumeric());
    let run = name.len() - digits.len() + length.unwrap_or(digits.len());
    let run = run + usize::from(name[run..].starts_with(';'));
    let source = &text[..=run];
    if length == Some(0) || digits.is_empty() {
        return None;
    }
    let decoded = decode(source);
    if decoded == source {
        return None;
    }
    // Legacy entities need no semicolon: `&copy2026` is © and four digits.
    let most = decoded.chars().skip(1).map(char::len_utf8).sum();
    let pairs = source.bytes().rev().zip(decoded.bytes().rev());
    let same = pairs
        .take(most)
        .take_while(|(one, other)| one == other)
        .count();
    let head = decoded[..decoded.len() - same].to_owned();
    Some((head, source.len() - same))
}

fn decode(source: &str) -> String {
    let mut text = String::new();
    let Ok(()) = Tokenizer::new(source).try_for_each(|token| {
        token.map(|token| {
            if let Token::String(piece) = token {
                text.push_str(&String::from_utf8_lossy(&piece));
            }
        })
    });
    text
}
