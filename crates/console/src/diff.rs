//! What changed between two texts.

use maud::{Markup, html};
use similar::{ChangeTag, TextDiff};

/// Both texts as one, word by word: what was taken away and what was added.
pub(crate) fn words(before: &str, after: &str) -> Markup {
    marked(&TextDiff::from_words(before, after))
}

/// The same line by line, for long texts.
pub(crate) fn lines(before: &str, after: &str) -> Markup {
    marked(&TextDiff::from_lines(before, after))
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
