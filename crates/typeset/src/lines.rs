//! Line breaking: the smallest number of lines and, for that number, the best balance.

use std::ops::Range;

use crate::shape::Shaped;

/// The lines of a paragraph, and the number of bad line breaks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pub ranges: Vec<Range<usize>>,
    /// The number of lines that end inside a word that has no better break.
    pub torn: usize,
    /// The number of lines that end inside a URL or a compound, or are much shorter than the
    /// others.
    pub uneven: usize,
}

/// A part of the text that is never split, without the space after it.
struct Atom {
    start: usize,
    end: usize,
}

/// Breaks a paragraph at a width in ems. Display text is balanced over all its lines. Running text
/// may end in a shorter line, but not in a single short word.
pub(crate) fn break_lines(shaped: &Shaped, width: f32, display: bool) -> Lines {
    let (atoms, torn) = split_into_atoms(shaped, width);
    let n = atoms.len();
    // The best way to break the atoms before each index into lines: number of lines, cost, and
    // start of the last line.
    let mut best: Vec<(usize, f32, usize)> = vec![(0, 0.0, 0)];
    for end in 1..=n {
        let mut found: Option<(usize, f32, usize)> = None;
        for start in (0..end).rev() {
            let room = width - if start == 0 { 0.0 } else { shaped.hang };
            let set = shaped.width(atoms[start].start..atoms[end - 1].end);
            if set > room && start + 1 < end {
                break;
            }
            let (count, cost, _) = best[start];
            let line = line_cost(
                shaped,
                &atoms,
                start..end,
                set / room.max(f32::EPSILON),
                display,
            );
            let way = (count + 1, cost + line, start);
            if found.is_none_or(|f| (way.0, way.1) < (f.0, f.1)) {
                found = Some(way);
            }
        }
        best.push(found.expect("a line of one atom is always tried"));
    }
    let mut ranges = Vec::with_capacity(best[n].0);
    let mut end = n;
    while end > 0 {
        let start = best[end].2;
        ranges.push(atoms[start].start..atoms[end - 1].end);
        end = start;
    }
    ranges.reverse();
    let uneven = if display {
        count_uneven_lines(shaped, &ranges, torn)
    } else {
        0
    };
    Lines {
        ranges,
        torn,
        uneven,
    }
}

fn count_uneven_lines(shaped: &Shaped, ranges: &[Range<usize>], torn: usize) -> usize {
    let widths = || ranges.iter().map(|range| shaped.width(range.clone()));
    let widest = widths().fold(0.0, f32::max);
    let short = widths().filter(|width| *width < 0.4 * widest).count();
    let inside = ranges
        .windows(2)
        .filter(|pair| pair[0].end == pair[1].start)
        .count();
    short + inside.saturating_sub(torn)
}

/// Returns the cost of a line: the square of its empty space, and a penalty for a bad ending.
fn line_cost(shaped: &Shaped, atoms: &[Atom], line: Range<usize>, full: f32, display: bool) -> f32 {
    let slack = (1.0 - full).max(0.0);
    let last = line.end == atoms.len();
    if !last {
        let word = &atoms[line.end - 1];
        // A short word, such as «a» or «de», reads better on the same line as the next word.
        let small = word.end - word.start <= 2 && line.len() > 1;
        let sentence_begins = line.len() > 1
            && shaped.text[..atoms[line.end - 2].end].ends_with(['.', '!', '?', '…'])
            && word.end - word.start <= 3;
        let ends_ill = f32::from(u8::from(small)) + f32::from(u8::from(sentence_begins));
        return slack * slack + if display { 0.03 } else { 0.006 } * ends_ill;
    }
    let widow = if line.start > 0 && (full < 0.2 || (line.len() == 1 && full < 0.3)) {
        0.25
    } else {
        0.0
    };
    if display {
        slack * slack + widow
    } else {
        widow
    }
}

fn split_into_atoms(shaped: &Shaped, width: f32) -> (Vec<Atom>, usize) {
    let mut atoms = Vec::with_capacity(shaped.breaks.len() + 1);
    let mut torn = 0;
    let mut start = 0;
    for end in shaped.breaks.iter().copied().chain([shaped.text.len()]) {
        let word = start + shaped.text[start..end].trim_end_matches(' ').len();
        let room = width - if start == 0 { 0.0 } else { shaped.hang };
        if word > start {
            torn += split_long_word(shaped, start..word, room, &mut atoms);
        }
        start = end;
    }
    (atoms, torn)
}

/// Splits a word that is wider than a line, in a URL preferably after a punctuation mark.
fn split_long_word(shaped: &Shaped, word: Range<usize>, room: f32, atoms: &mut Vec<Atom>) -> usize {
    let mut start = word.start;
    let mut torn = 0;
    while shaped.width(start..word.end) > room {
        let from = shaped.clusters.partition_point(|&at| at <= start);
        let to = shaped.clusters.partition_point(|&at| at < word.end);
        let inside = &shaped.clusters[from..to];
        let fitting = inside.partition_point(|&at| shaped.width(start..at) <= room);
        let Some(&longest) = inside.get(fitting.max(1) - 1) else {
            break;
        };
        let sign = inside[..fitting].iter().rev().find(|&&at| {
            shaped.text[..at]
                .ends_with(['/', '.', '-', '_', '?', '&', '=', '#', '@', '+', '%', ','])
                && shaped.width(start..at) > room * 0.5
        });
        let end = sign.copied().unwrap_or(longest);
        atoms.push(Atom { start, end });
        start = end;
        torn += 1;
    }
    atoms.push(Atom {
        start,
        end: word.end,
    });
    torn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clean::clean_paragraphs, fonts::Face, shape::shape_paragraph};

    fn break_text(text: &str, width: f32, display: bool) -> Vec<String> {
        let shaped = shape_paragraph(&clean_paragraphs(text, Face::Inter)[0], 0.0, false);
        let lines = break_lines(&shaped, width, display).ranges;
        lines
            .into_iter()
            .map(|line| shaped.text[line].to_owned())
            .collect()
    }

    #[test]
    fn a_headline_is_balanced() {
        let lines = break_text("A campanha começa agora e vai até o fim", 16.0, true);
        assert_eq!(lines, ["A campanha começa", "agora e vai até o fim"]);
    }

    #[test]
    fn a_paragraph_does_not_end_in_a_lone_short_word() {
        let lines = break_text(
            "Quem escreve bem escolhe as palavras uma a uma, sem pressa",
            12.0,
            false,
        );
        assert!(
            lines.last().is_some_and(|last| last.contains(' ')),
            "{lines:?}"
        );
    }

    #[test]
    fn a_url_is_split_after_punctuation_and_no_text_is_lost() {
        let url = "https://exemplo.com.br/noticias/2026/uma-materia-bem-comprida?origem=cartao";
        let lines = break_text(url, 10.0, false);
        assert_eq!(lines.concat(), url);
        assert!(
            lines[..lines.len() - 1]
                .iter()
                .all(|l| !l.ends_with(char::is_alphanumeric)),
            "{lines:?}"
        );
    }

    #[test]
    fn a_word_without_breaks_is_split_instead_of_overflowing() {
        let shaped = shape_paragraph(
            &clean_paragraphs(&"a".repeat(300), Face::Inter)[0],
            0.0,
            false,
        );
        let lines = break_lines(&shaped, 5.0, true);
        assert!(
            lines
                .ranges
                .iter()
                .all(|line| shaped.width(line.clone()) <= 5.0)
        );
        assert_eq!(lines.torn, lines.ranges.len() - 1);
    }
}
