//! Turns any text into paragraphs that the bundled fonts can show.
//!
//! A grapheme that no font has is replaced by its compatibility form (𝗕 → B), otherwise by its base
//! letter without accents; otherwise it is omitted. No empty box is ever drawn.

use std::ops::Range;

use icu_segmenter::GraphemeClusterSegmenter;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fonts::{FALLBACKS, Face};
use crate::markup::{SourceLine, source_lines};

/// A paragraph with the font of each run, as `(end, font)`, and its bold byte ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Clean {
    pub text: String,
    pub faces: Vec<(usize, Face)>,
    pub bold: Vec<Range<usize>>,
    pub heading: bool,
}

/// The maximum number of accents on one letter. More would overlap other lines and have no meaning.
const MARKS: usize = 3;

const JOINERS: [char; 2] = ['\u{200C}', '\u{200D}'];

/// Returns the paragraphs of a text. An empty paragraph is a blank line. The result never begins or ends
/// with an empty paragraph.
pub(crate) fn clean_paragraphs(text: &str, face: Face) -> Vec<Clean> {
    let text: String = text.nfc().collect();
    let mut all: Vec<Clean> = source_lines(&text)
        .iter()
        .map(|line| clean_paragraph(line, face))
        .collect();
    all.dedup_by(|a, b| a.text.is_empty() && b.text.is_empty());
    if all.last().is_some_and(|p| p.text.is_empty()) {
        all.pop();
    }
    if all.first().is_some_and(|p| p.text.is_empty()) {
        all.remove(0);
    }
    all
}

fn clean_paragraph(line: &SourceLine, face: Face) -> Clean {
    let mut clean = Clean {
        heading: line.heading,
        ..Clean::default()
    };
    let edges: Vec<usize> = GraphemeClusterSegmenter::new()
        .segment_str(&line.text)
        .collect();
    for edge in edges.windows(2) {
        let start = clean.text.len();
        clean.push(&line.text[edge[0]..edge[1]], face);
        if line.bold.iter().any(|bold| bold.contains(&edge[0])) {
            clean.embolden(start..clean.text.len());
        }
    }
    clean.trim_end();
    clean
}

impl Clean {
    fn push(&mut self, grapheme: &str, face: Face) {
        if grapheme
            .chars()
            .all(|c| c.is_whitespace() && !matches!(c, '\u{A0}' | '\u{202F}'))
        {
            if !self.text.is_empty() && !self.text.ends_with(' ') {
                self.append(" ", face);
            }
            return;
        }
        let pictorial = is_pictorial(grapheme);
        let mut plain = strip_invisible(grapheme);
        if pictorial {
            // The neutral form is used because the font does not have a man and a woman for every
            // emoji of a person.
            for (sign, instead) in [
                ("\u{200D}♀", ""),
                ("\u{200D}♂", ""),
                ("👨\u{200D}", "🧑\u{200D}"),
            ] {
                plain = plain.replace(sign, instead);
            }
        }
        if plain.is_empty() {
            return;
        }
        let base = || {
            plain
                .nfd()
                .filter(|&c| !is_combining_mark(c))
                .collect::<String>()
        };
        let forms = [plain.clone(), plain.nfkc().collect(), base()];
        for form in forms.iter().filter(|form| !form.is_empty()) {
            let mut order = Vec::with_capacity(7);
            if pictorial {
                order.push(Face::Emoji);
            }
            // A space or a punctuation mark takes the font of the letters before it.
            order.push(face);
            order.extend(FALLBACKS);
            if let Some(&found) = order.iter().find(|face| has_all_glyphs(**face, form)) {
                self.append(form, found);
                return;
            }
        }
    }

    fn append(&mut self, text: &str, face: Face) {
        self.text.push_str(text);
        match self.faces.last_mut() {
            Some((end, last)) if *last == face => *end = self.text.len(),
            _ => self.faces.push((self.text.len(), face)),
        }
    }

    fn embolden(&mut self, bytes: Range<usize>) {
        match self.bold.last_mut() {
            Some(last) if last.end == bytes.start => last.end = bytes.end,
            _ => self.bold.push(bytes),
        }
    }

    /// Returns a part of the paragraph as a separate paragraph.
    pub(crate) fn slice(&self, bytes: Range<usize>) -> Self {
        let cut = &self.text[bytes.clone()];
        let start = bytes.start + (cut.len() - cut.trim_start().len());
        let end = start + cut.trim().len();
        let mut part = self.clone();
        part.truncate_to(end);
        part.text.drain(..start);
        part.faces.retain_mut(|(end, _)| {
            *end = end.saturating_sub(start);
            *end > 0
        });
        part.bold.retain_mut(|bold| {
            *bold = bold.start.saturating_sub(start)..bold.end.saturating_sub(start);
            bold.end > 0
        });
        part
    }

    /// Returns the paragraph with the letters of the font `from` set in the font `to`, if `to` has them.
    pub(crate) fn replace_face(&self, from: Face, to: Face) -> Self {
        let mut all = Self {
            bold: self.bold.clone(),
            heading: self.heading,
            ..Self::default()
        };
        let mut begin = 0;
        for &(end, face) in &self.faces {
            let run = &self.text[begin..end];
            let edges: Vec<usize> = GraphemeClusterSegmenter::new().segment_str(run).collect();
            for edge in edges.windows(2) {
                let grapheme = &run[edge[0]..edge[1]];
                let change = face == from && has_all_glyphs(to, grapheme);
                all.append(grapheme, if change { to } else { face });
            }
            begin = end;
        }
        all
    }

    fn trim_end(&mut self) {
        let kept = self.text.trim_end().len();
        self.truncate_to(kept);
    }

    /// Truncates the paragraph to its first `kept` bytes.
    pub(crate) fn truncate_to(&mut self, kept: usize) {
        self.text.truncate(kept);
        let mut begin = 0;
        self.faces.retain_mut(|(end, _)| {
            let starts = begin;
            begin = *end;
            *end = (*end).min(kept);
            starts < kept
        });
        self.bold.retain_mut(|bold| {
            bold.end = bold.end.min(kept);
            bold.start < bold.end
        });
    }

    /// Returns the first `kept` bytes of the paragraph, followed by an ellipsis.
    pub(crate) fn with_ellipsis(&self, kept: usize, face: Face) -> Self {
        let loose = |c: char| c.is_whitespace() || ",;:.…-–—([{“‘\"'/".contains(c);
        let mut cut = self.clone();
        cut.truncate_to(self.text[..kept].trim_end_matches(loose).len());
        cut.append("…", face);
        cut
    }
}

fn has_all_glyphs(face: Face, text: &str) -> bool {
    text.chars()
        .all(|c| JOINERS.contains(&c) || face.has_glyph(c))
}

/// Removes characters without a glyph: control characters, direction marks, variation selectors,
/// skin tones.
fn strip_invisible(grapheme: &str) -> String {
    let mut marks = 0;
    let kept = grapheme.chars().filter(|&c| {
        if is_combining_mark(c) {
            marks += 1;
        }
        marks <= MARKS && !c.is_control() && !is_invisible(c)
    });
    let kept: String = kept.collect();
    if kept.chars().all(|c| JOINERS.contains(&c)) {
        String::new()
    } else {
        kept
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFF0}'..='\u{FFFF}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0000}'..='\u{E0FFF}')
}

fn is_pictorial(grapheme: &str) -> bool {
    grapheme
        .chars()
        .any(|c| matches!(c, '\u{FE0F}' | '\u{20E3}' | '\u{1F000}'..='\u{1FAFF}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean_texts(text: &str) -> Vec<String> {
        clean_paragraphs(text, Face::Newsreader)
            .into_iter()
            .map(|p| p.text)
            .collect()
    }

    #[test]
    fn portuguese_text_is_unchanged_in_the_font_of_the_style() {
        let text =
            "ÁÂÃÀÇÉÊÍÓÔÕÚÜ áâãàçéêíóôõúü ªº “aspas” ‘simples’ «francesas» – — … € R$ nº 1º § ½";
        for face in [
            Face::Cinzel,
            Face::Garamond,
            Face::InterDisplay,
            Face::Inter,
            Face::Fraunces,
            Face::Newsreader,
            Face::BricolageExtrabold,
            Face::Bricolage,
        ] {
            let set = clean_paragraphs(text, face);
            assert_eq!(set[0].text, text, "{face:?}");
            assert!(
                set[0].faces.iter().all(|(_, f)| *f == face),
                "{face:?}: {:?}",
                set[0].faces
            );
        }
    }

    #[test]
    fn characters_that_no_font_has_are_replaced_or_omitted() {
        assert_eq!(clean_texts("𝗕𝗼𝗹𝗱 e ﷽ 漢字 fim"), ["Bold e fim"]);
        assert_eq!(clean_texts("a\u{200B}b\u{0}c\u{202E}d"), ["abcd"]);
        assert_eq!(
            clean_texts("x̶̡̢̛̛̗̘̙"),
            clean_paragraphs("x̶̡̢", Face::Newsreader)
                .into_iter()
                .map(|p| p.text)
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn line_ends_are_kept_and_blank_lines_are_collapsed() {
        assert_eq!(
            clean_texts("\n\na  b\r\n\r\n\r\nc\nd \n"),
            ["a b", "", "c", "d"]
        );
        assert!(clean_texts(" \n ").is_empty());
    }
}
