//! The changes of a piece since the viewer last saw it, or since its last decision.

use domain::Revision;
use maud::{Markup, html};

use crate::{
    piece::{
        conflict::{changes_notice, describe_change},
        history,
        model::{Change, Piece},
    },
    view::View,
};

/// The cookie in which the browser stores the revisions that the viewer saw: `id:revision|…`.
const LOOKED_AT: &str = "pauta_vistas";

/// The last revision of a piece that this browser showed.
fn last_seen_revision(cookies: &str, id: &str) -> Option<Revision> {
    let mut pairs = cookies
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='));
    let (_, seen) = pairs.find(|(name, _)| *name == LOOKED_AT)?;
    let mut seen = seen.split('|').filter_map(|pair| pair.split_once(':'));
    let (_, revision) = seen.find(|(seen, _)| *seen == id)?;
    revision.parse().ok().map(Revision::new)
}

/// The changes since the revision that the viewer last saw. If that is unknown, since the last decision.
pub(super) fn section(view: &View<'_>, piece: &Piece) -> Markup {
    let cookies = view.ctx.origin.head.cookie.as_deref().unwrap_or_default();
    let now = piece.event.api_revision;
    let looked = last_seen_revision(cookies, &piece.event.id).filter(|seen| piece.covers(*seen));
    let decided = piece
        .last("decide_approval")
        .map(|change| change.api_revision);
    html! {
        section aria-labelledby="mudou" {
            h3 id="mudou" { "O que mudou" }
            @match (looked, decided) {
                (Some(seen), _) if seen < now => {
                    p { "Desde que você olhou, na revisão " (seen) ":" }
                    (since(piece, seen))
                }
                (_, Some(decided)) => {
                    p {
                        @if looked.is_some() { "Nada desde que você olhou. " }
                        "Desde a última decisão, na revisão " (decided) ":"
                    }
                    (since(piece, decided))
                }
                (Some(_), None) => p class="soft" { "Nada desde que você olhou." },
                (None, None) => p class="soft" { "É a primeira vez que esta peça espera decisão." },
            }
        }
    }
}

fn since(piece: &Piece, revision: Revision) -> Markup {
    let lines: Vec<&Change> = piece.since(revision).iter().rev().collect();
    html! {
        ul { @for change in lines { li { (describe_change(change)) } } }
        @if piece.caption_at(revision) != piece.caption() {
            div class="card" { (history::difference(piece.caption_at(revision), piece.caption())) }
        }
    }
}

/// The version that the viewer saw, beside the current one.
pub(super) fn versions(piece: &Piece, seen: Revision) -> Markup {
    html! {
        section aria-labelledby="versoes" {
            h3 id="versoes" { "A peça mudou antes da sua decisão" }
            p { "Nada foi gravado. Confira a versão de agora e decida sobre ela." }
            (changes_notice(piece, seen))
            @if piece.covers(seen) {
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
                h4 { "Da que você viu à de agora" }
                div class="card" { (history::difference(piece.caption_at(seen), piece.caption())) }
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
        let cookies = "pauta_sessao=x; pauta_vistas=a-1:3|b-2:12";
        assert_eq!(last_seen_revision(cookies, "a-1"), Some(Revision::new(3)));
        assert_eq!(last_seen_revision(cookies, "b-2"), Some(Revision::new(12)));
        assert_eq!(last_seen_revision(cookies, "c-3"), None);
        assert_eq!(last_seen_revision("pauta_vistas=a:x", "a"), None);
        assert_eq!(last_seen_revision("", "a"), None);
    }
}
