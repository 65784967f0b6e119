//! What changed between two texts.

use std::time::Duration;

use maud::{Markup, html};
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, TextDiffConfig};

/// The time limit of the search for the shortest difference; after it a longer one is shown.
const PATIENCE: Duration = Duration::from_millis(200);
/// Equal lines shown around a change.
const CONTEXT: usize = 3;

/// Both texts as one, word by word: what was taken away and what was added.
pub(crate) fn words(before: &str, after: &str) -> Markup {
    marked(&TextDiff::from_words(before, after))
}

/// The same line by line, for long texts.
pub(crate) fn lines(before: &str, after: &str) -> Markup {
    marked(&TextDiff::from_lines(before, after))
}

/// Only the lines that changed, with a few around them.
pub(crate) fn hunks(before: &str, after: &str) -> Markup {
    let diff = config().diff_lines(before, after);
    let groups = diff.grouped_ops(CONTEXT);
    html! {
        @if groups.is_empty() { p class="soft" { "Os textos são iguais." } }
        @for group in &groups {
            p class="soft" { "A partir da linha " (group.first().map_or(0, first_line) + 1) }
            div class="diff lines" dir="auto" {
                @for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                    @match change.tag() {
                        ChangeTag::Equal => span { (line(change.value())) },
                        ChangeTag::Delete => del { (line(change.value())) },
                        ChangeTag::Insert => ins { (line(change.value())) },
                    }
                }
            }
        }
    }
}

fn config() -> TextDiffConfig {
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Myers).timeout(PATIENCE);
    config
}

/// The line after which an operation begins.
fn first_line(op: &DiffOp) -> usize {
    op.new_range().start
}

/// The last line of a text may lack its end.
fn line(text: &str) -> Markup {
    html! { (text) @if !text.ends_with('\n') { "\n" } }
}

fn marked<'t>(diff: &TextDiff<'t, 't, '_, str>) -> Markup {
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
