//! Draws the steps of a publication.

use maud::{Markup, html};

/// The state of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    Done,
    Now,
    Next,
    Bad,
    Open,
}

/// Draws one step.
pub(super) fn draw_step(stand: Stand, word: &str) -> Markup {
    let (class, mark, state) = match stand {
        Stand::Done => ("done", "✓", "feito"),
        Stand::Now => ("now", "●", "agora"),
        Stand::Next => ("next", "○", "ainda não"),
        Stand::Bad => ("bad", "✗", "falhou"),
        Stand::Open => ("open", "?", "a conferir"),
    };
    html! {
        li class=(class) aria-current=[(stand == Stand::Now).then_some("step")] {
            span aria-hidden="true" { (mark) } " " (word) span class="sr" { ": " (state) }
        }
    }
}
