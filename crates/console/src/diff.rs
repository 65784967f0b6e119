//! Draws the difference between two texts.

use std::{ops::Range, time::Duration};

use maud::{Markup, html};
use similar::{Algorithm, ChangeTag, DiffOp, DiffTag, TextDiff, TextDiffConfig};

/// The time limit of the search for the shortest difference. After this time, the result may be a longer
/// difference.
const PATIENCE: Duration = Duration::from_millis(200);
/// The number of equal lines around a change.
const CONTEXT: usize = 3;

/// Draws both texts merged word by word, with deletions and insertions marked.
pub(crate) fn draw_word_diff(before: &str, after: &str) -> Markup {
    draw_merged(&TextDiff::from_words(before, after))
}

/// Draws both texts merged line by line, for long texts.
pub(crate) fn draw_line_diff(before: &str, after: &str) -> Markup {
    draw_merged(&TextDiff::from_lines(before, after))
}

/// Draws only the changed lines, with `CONTEXT` equal lines around each change.
pub(crate) fn draw_hunks(before: &str, after: &str) -> Markup {
    let diff = diff_config().diff_lines(before, after);
    let groups = diff.grouped_ops(CONTEXT);
    html! {
        @if groups.is_empty() { p class="soft" { "Os textos são iguais." } }
        @for group in &groups {
            p class="soft" { "A partir da linha " (group.first().map_or(0, first_line) + 1) }
            div class="diff lines" dir="auto" {
                @for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                    @match change.tag() {
                        ChangeTag::Equal => span { (draw_line(change.value())) },
                        ChangeTag::Delete => del { (draw_line(change.value())) },
                        ChangeTag::Insert => ins { (draw_line(change.value())) },
                    }
                }
            }
        }
    }
}

fn diff_config() -> TextDiffConfig {
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Myers).timeout(PATIENCE);
    config
}

/// Returns the index of the line at which an operation begins.
fn first_line(op: &DiffOp) -> usize {
    op.new_range().start
}

/// Draws a line. Adds a line end if the line has none: the last line of a text may lack it.
fn draw_line(text: &str) -> Markup {
    html! { (text) @if !text.ends_with('\n') { "\n" } }
}

fn draw_merged<'t>(diff: &TextDiff<'t, 't, '_, str>) -> Markup {
    html! {
        div class="diff" {
            @for change in diff.iter_all_changes() {
                @match change.tag() {
                    ChangeTag::Equal => (change.value()),
                    ChangeTag::Delete => del { (change.value()) },
                    ChangeTag::Insert => ins { (change.value()) },
                }
            }
        }
    }
}

/// The correspondence between the words of two texts. It shows which words of the second text replace a
/// passage of the first text.
pub(crate) struct Alignment<'t> {
    before: &'t str,
    after: &'t str,
    /// The equal and the changed parts, in the order of the texts.
    parts: Vec<Part>,
}

/// One part of the alignment: a word that both texts contain, or words of the first text (`old`) with
/// the words of the second text that replace them (`new`). The ranges are in bytes.
struct Part {
    old: Range<usize>,
    new: Range<usize>,
    is_equal: bool,
}

impl Part {
    fn overlaps(&self, passage: &Range<usize>) -> bool {
        match self.old.is_empty() {
            true => passage.start < self.old.start && self.old.start < passage.end,
            false => self.old.start < passage.end && passage.start < self.old.end,
        }
    }
}

impl<'t> Alignment<'t> {
    pub fn align_words(before: &'t str, after: &'t str) -> Self {
        let diff = diff_config().diff_words(before, after);
        let (old, new) = (offsets(diff.old_slices()), offsets(diff.new_slices()));
        let mut parts = vec![];
        for op in diff.ops() {
            let (before, after) = (op.old_range(), op.new_range());
            if op.tag() == DiffTag::Equal {
                parts.extend(before.zip(after).map(|(one, other)| Part {
                    old: old[one]..old[one + 1],
                    new: new[other]..new[other + 1],
                    is_equal: true,
                }));
            } else {
                parts.push(Part {
                    old: old[before.start]..old[before.end],
                    new: new[after.start]..new[after.end],
                    is_equal: false,
                });
            }
        }
        Self {
            before,
            after,
            parts,
        }
    }

    /// Returns the whole words of the first text that contain this passage (a byte range), and the words
    /// of the second text that replace them. Both are without surrounding white space.
    pub fn find_counterpart(&self, passage: &Range<usize>) -> (&'t str, &'t str) {
        let is_found = |part: &Part| part.overlaps(passage);
        let first = self.parts.iter().position(is_found);
        let last = self.parts.iter().rposition(is_found);
        let Some((first, last)) = first.zip(last) else {
            return ("", "");
        };
        // Words inserted directly after a changed word also belong to the replacement, even if only an
        // unchanged space separates them from it.
        let mut end = last;
        if !self.parts[last].is_equal {
            let is_space = |part: &Part| self.before[part.old.clone()].trim().is_empty();
            let after = self.parts.iter().enumerate().skip(last + 1);
            let after = after.take_while(|(_, part)| is_space(part));
            let inserted = after.filter(|(_, part)| !part.is_equal);
            end = inserted.last().map_or(last, |(place, _)| place);
        }
        let old = self.parts[first].old.start..self.parts[last].old.end;
        let new = self.parts[first].new.start..self.parts[end].new.end;
        (self.before[old].trim(), self.after[new].trim())
    }
}

/// Returns the byte offset at which each part of a text begins, and the offset at which the last part
/// ends.
fn offsets(parts: &[&str]) -> Vec<usize> {
    let ends = parts.iter().scan(0, |end, part| {
        *end += part.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::Alignment;

    fn counterpart<'t>(before: &'t str, after: &'t str, passage: &str) -> (&'t str, &'t str) {
        let start = before.find(passage).expect("the passage");
        let range = start..start + passage.len();
        Alignment::align_words(before, after).find_counterpart(&range)
    }

    #[test]
    fn the_replacement_of_a_passage_is_found_among_other_changes() {
        let before = "Água fria. Massa lisa, forno quente. Fim.";
        let after = "Bom dia! Água fria. Massa lisinha, forno a 220 graus. Fim.";
        for (passage, found) in [
            ("Água fria", ("Água fria.", "Água fria.")),
            ("lisa", ("lisa,", "lisinha,")),
            ("forno quente", ("forno quente.", "forno a 220 graus.")),
            ("Fim", ("Fim.", "Fim.")),
            (
                before,
                (before, "Água fria. Massa lisinha, forno a 220 graus. Fim."),
            ),
        ] {
            assert_eq!(counterpart(before, after, passage), found, "{passage}");
        }
        assert_eq!(counterpart("um dois três", "um três", "dois").1, "");
        assert_eq!(counterpart("só isto", "", "isto"), ("só isto", ""));
    }
}
