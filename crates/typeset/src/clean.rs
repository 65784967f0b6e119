//! Turns any text into paragraphs that the bundled fonts can show.
//!
//! A grapheme that no font has is replaced by its compatibility form (𝗕 → B), else by its base letter
//! without accents, else it is left out. An empty box is never drawn.

use icu_segmenter::GraphemeClusterSegmenter;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fonts::{FALLBACKS, Face};

/// One paragraph, and the font of each run of it: `(end, font)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Clean {
    pub text: String,
    pub faces: Vec<(usize, Face)>,
}

/// The most accents on one letter; more would run into other lines and mean nothing.
const MARKS: usize = 3;

const JOINERS: [char; 2] = ['\u{200C}', '\u{200D}'];

/// The paragraphs of a text. An empty one is a blank line; the text does not begin or end with one.
pub(crate) fn paragraphs(text: &str, face: Face) -> Vec<Clean> {
    let text: String = text.replace("\r\n", "\n").nfc().collect();
    let mut all: Vec<Clean> = text
        .split([
            '\n', '\r', '\u{B}', '\u{C}', '\u{85}', '\u{1C}', '\u{1D}', '\u{1E}', '\u{2028}',
            '\u{2029}',
        ])
        .map(|line| paragraph(line, face))
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

fn paragraph(line: &str, face: Face) -> Clean {
    let mut clean = Clean::default();
    let edges: Vec<usize> = GraphemeClusterSegmenter::new().segment_str(line).collect();
    for edge in edges.windows(2) {
        clean.push(&line[edge[0]..edge[1]], face);
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
        let plain = plain(grapheme);
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
            if let Some(&found) = order.iter().find(|face| has_all(**face, form)) {
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

    fn trim_end(&mut self) {
        let kept = self.text.trim_end().len();
        self.cut(kept);
    }

    /// Keeps the first `kept` bytes.
    pub(crate) fn cut(&mut self, kept: usize) {
        self.text.truncate(kept);
        let mut begin = 0;
        self.faces.retain_mut(|(end, _)| {
            let starts = begin;
            begin = *end;
            *end = (*end).min(kept);
            starts < kept
        });
    }

    /// The paragraph up to `kept` bytes, followed by an ellipsis.
    pub(crate) fn ellipsis(&self, kept: usize, face: Face) -> Self {
        let loose = |c: char| c.is_whitespace() || ",;:.…-–—([{“‘\"'/".contains(c);
        let mut cut = self.clone();
        cut.cut(self.text[..kept].trim_end_matches(loose).len());
        cut.append("…", face);
        cut
    }
}

fn has_all(face: Face, text: &str) -> bool {
    text.chars().all(|c| JOINERS.contains(&c) || face.has(c))
}

/// Removes what has no glyph of its own: control characters, direction marks, variation selectors,
/// skin tones.
fn plain(grapheme: &str) -> String {
    let mut marks = 0;
    let kept = grapheme.chars().filter(|&c| {
        if is_combining_mark(c) {
            marks += 1;
        }
        marks <= MARKS && !c.is_control() && !is_unseen(c)
    });
    let kept: String = kept.collect();
    if kept.chars().all(|c| JOINERS.contains(&c)) {
        String::new()
    } else {
        kept
    }
}

fn is_unseen(c: char) -> bool {
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

    fn cleaned(text: &str) -> Vec<String> {
        paragraphs(text, Face::Newsreader)
            .into_iter()
            .map(|p| p.text)
            .collect()
    }

    #[test]
    fn portuguese_is_kept_whole_in_the_font_of_the_style() {
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
            let set = paragraphs(text, face);
            assert_eq!(set[0].text, text, "{face:?}");
            assert!(
                set[0].faces.iter().all(|(_, f)| *f == face),
                "{face:?}: {:?}",
                set[0].faces
            );
        }
    }

    #[test]
    fn what_no_font_has_is_replaced_or_left_out() {
        assert_eq!(cleaned("𝗕𝗼𝗹𝗱 e ﷽ 漢字 fim"), ["Bold e fim"]);
        assert_eq!(cleaned("a\u{200B}b\u{0}c\u{202E}d"), ["abcd"]);
        assert_eq!(
            cleaned("x̶̡̢̛̛̗̘̙"),
            paragraphs("x̶̡̢", Face::Newsreader)
                .into_iter()
                .map(|p| p.text)
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn line_ends_are_respected_and_blank_lines_counted_once() {
        assert_eq!(
            cleaned("\n\na  b\r\n\r\n\r\nc\nd \n"),
            ["a b", "", "c", "d"]
        );
        assert!(cleaned(" \n ").is_empty());
    }
}
