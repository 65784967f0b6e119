//! Draws the difference between two texts.

use std::time::Duration;

use maud::{Markup, html};
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, TextDiffConfig};

/// The time limit for finding the shortest difference. After it, a longer difference may be
/// returned.
const PATIENCE: Duration = Duration::from_millis(200);
/// The number of equal lines around a change.
const CONTEXT: usize = 3;

/// Both texts merged word by word, with deletions and insertions marked.
pub(crate) fn draw_word_diff(before: &str, after: &str) -> Markup {
    draw_merged(&TextDiff::from_words(before, after))
}

/// Both texts merged line by line, for long texts.
pub(crate) fn draw_line_diff(before: &str, after: &str) -> Markup {
    draw_merged(&TextDiff::from_lines(before, after))
}

/// Only the changed lines, with some context.
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

/// The index of the line at which an operation begins.
fn first_line(op: &DiffOp) -> usize {
    op.new_range().start
}

/// Draws a line. Adds a line end if the line has none, as the last line of a text may.
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
