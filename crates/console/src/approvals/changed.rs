//! The changes of a piece since its last decision, or since the viewer last saw it.

use domain::Revision;
use maud::{Markup, html};

use crate::{
    piece::{
        compared,
        conflict::{changes_notice, describe_change},
        history,
        model::{Change, Piece},
    },
    text,
    view::View,
};

/// The cookie in which the browser stores the revisions that the viewer saw: `id:revision|…`.
const LOOKED_AT: &str = "pauta_vistas";

/// Returns the last revision of a piece that this browser showed, from the value of the cookie.
fn last_seen_revision(cookie: &str, id: &str) -> Option<Revision> {
    let mut seen = cookie.split('|').filter_map(|pair| pair.split_once(':'));
    let (_, revision) = seen.find(|(seen, _)| *seen == id)?;
    revision.parse().ok().map(Revision::new)
}

/// Shows the last decision and its reason. A later reason, such as the reason for reopening, replaces
/// the reason of the decision.
pub(super) fn last_reason(piece: &Piece) -> Markup {
    let decided = piece.last_final_decision();
    let given = decided.and_then(|decided| {
        let since = piece.changes_after(decided.api_revision.previous()).iter();
        since.clone().find(|change| change.reason.is_some())
    });
    html! {
        @if let Some(change) = given.or(decided) {
            div class={ "notice" @if given.is_some() { " wait" } } {
                p {
                    "Antes: " strong { (change.author_text()) " " (change.change_verb()) } ", " (text::format_iso_moment(&change.occurred_at))
                    @if given.is_some() { ", e disse:" } @else { "." }
                }
                @if let Some(reason) = &change.reason { blockquote class="written" dir="auto" { (reason) } }
            }
        }
    }
}

/// Shows the changes since the last decision or, without a decision, since the revision that the viewer
/// last saw.
pub(super) fn changes_section(view: &View<'_>, piece: &Piece) -> Markup {
    let now = piece.event.api_revision;
    let looked = view
        .plain_cookie(LOOKED_AT)
        .and_then(|cookie| last_seen_revision(cookie, &piece.event.id))
        .filter(|seen| piece.covers_revision(*seen));
    let decided = piece
        .last_final_decision()
        .map(|change| change.api_revision);
    html! {
        section aria-labelledby="mudou" {
            h3 id="mudou" { "O que mudou" }
            @match (decided, looked) {
                (Some(decided), looked) => {
                    @if looked == Some(now) { p class="soft" { "Nada mudou desde a última vez que você viu." } }
                    p { "Desde a última decisão, na revisão " (decided) ":" }
                    (draw_changes_after(piece, decided, looked))
                }
                (None, Some(seen)) if seen < now => {
                    p { "Desde a última vez que você viu, na revisão " (seen) ":" }
                    (draw_changes_after(piece, seen, None))
                }
                (None, Some(_)) => p class="soft" { "Nada mudou desde a última vez que você viu." },
                (None, None) => p class="soft" { "É a primeira vez que esta peça espera decisão." },
            }
        }
    }
}

/// Lists the changes after a revision. Changes after `looked` are marked as new to the viewer.
fn draw_changes_after(piece: &Piece, revision: Revision, looked: Option<Revision>) -> Markup {
    let lines: Vec<&Change> = piece.changes_after(revision).iter().rev().collect();
    let is_new = |change: &Change| {
        looked.is_some_and(|looked| looked >= revision && change.api_revision > looked)
    };
    let now = piece.event.api_revision;
    let (old, new) = (piece.media_at(revision), piece.media_at(now));
    let has_caption = piece.caption_at(revision) != piece.caption();
    html! {
        (compared::draw_differences(["Antes", "Agora"], &old, &new))
        @if has_caption {
            h4 { "Legenda" }
            div class="card" { (history::draw_caption_diff(piece.caption_at(revision), piece.caption())) }
        }
        details open[!has_caption && old == new] {
            summary {
                (lines.len()) @if lines.len() == 1 { " mudança" } @else { " mudanças" }
                @let new_lines = lines.iter().filter(|change| is_new(change)).count();
                @if new_lines > 0 { ", " (new_lines) " desde a última vez que você viu" }
            }
            ul {
                @for change in &lines {
                    li {
                        (describe_change(change))
                        @if is_new(change) { " " span class="badge info" { "novo para você" } }
                    }
                }
            }
        }
    }
}

/// Shows the version that the viewer saw beside the current version.
pub(super) fn draw_versions(piece: &Piece, seen: Revision) -> Markup {
    html! {
        section aria-labelledby="versoes" {
            h3 id="versoes" { "A peça mudou antes da sua decisão" }
            p { "Nada foi gravado. Confira a versão de agora e decida sobre ela." }
            (changes_notice(piece, seen))
            @if piece.covers_revision(seen) {
                div class="versions" {
                    div {
                        h4 { "A que você viu" }
                        p class="card written" dir="auto" { (piece.caption_at(seen)) }
                    }
                    div {
                        h4 { "A de agora" }
                        p class="card written" dir="auto" { (piece.caption()) }
                    }
                }
                (compared::draw_differences(["A que você viu", "A de agora"], &piece.media_at(seen), &piece.media_at(piece.event.api_revision)))
                h4 { "Da que você viu à de agora" }
                div class="card" { (history::draw_caption_diff(piece.caption_at(seen), piece.caption())) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Revision;

    use super::last_seen_revision;

    #[test]
    fn a_browser_remembers_the_revision_of_each_piece() {
        let cookie = "a-1:3|b-2:12";
        assert_eq!(last_seen_revision(cookie, "a-1"), Some(Revision::new(3)));
        assert_eq!(last_seen_revision(cookie, "b-2"), Some(Revision::new(12)));
        assert_eq!(last_seen_revision(cookie, "c-3"), None);
        assert_eq!(last_seen_revision("a:x", "a"), None);
        assert_eq!(last_seen_revision("", "a"), None);
    }
}
