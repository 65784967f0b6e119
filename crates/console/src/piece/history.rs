//! The section of the history, with the difference between two revisions of the caption.

use domain::Revision;
use maud::{Markup, html};
use serde_json::Value;

use super::{
    model::{Change, Piece, path},
    words,
};
use crate::{diff, text, view::View};

pub(super) fn section(
    view: &View<'_>,
    piece: &Piece,
    compared: Option<(Revision, Revision)>,
) -> Markup {
    html! {
        section aria-labelledby="historico" {
            h2 id="historico" { "Histórico" }
            (comparison(view, piece, compared))
            ol class="history" {
                @for change in &piece.lines {
                    li { (entry(view, piece, change)) }
                }
            }
            @if piece.is_cut { p class="soft" { "Há mudanças mais antigas que estas." } }
        }
    }
}

/// Draws the form that selects two revisions, and their difference.
fn comparison(view: &View<'_>, piece: &Piece, compared: Option<(Revision, Revision)>) -> Markup {
    let revisions = || piece.lines.iter().map(|change| change.api_revision);
    let now = piece.event.api_revision;
    let (from, to) = compared.unwrap_or((now.previous(), now));
    let choice = |name: &str, label: &str, chosen: Revision| {
        html! {
            label class="field" {
                span { (label) }
                select name=(name) {
                    @for revision in revisions() {
                        option value=(revision) selected[revision == chosen] { "revisão " (revision) }
                    }
                }
            }
        }
    };
    html! {
        @if piece.lines.len() > 1 {
            form method="get" action={ (view.at(&path(&piece.event.id))) "#comparar" } class="compare" {
                (choice("de", "Legenda da", from))
                (choice("para", "comparada com a", to))
                button type="submit" class="quiet" { "Comparar" }
            }
        }
        @if let Some((from, to)) = compared {
            div id="comparar" class="card compared" {
                @if piece.covers(from) && piece.covers(to) {
                    h3 { "Da revisão " (from) " à " (to) }
                    (difference(piece.caption_at(from), piece.caption_at(to)))
                } @else {
                    p { "Uma dessas revisões não está no histórico desta peça." }
                }
            }
        }
    }
}

/// The maximum length of captions that are compared word by word, in bytes. Longer ones are compared line by
/// line.
const BY_WORDS: usize = 12_000;

/// The difference between two captions.
pub(crate) fn difference(before: &str, after: &str) -> Markup {
    html! {
        @if before == after {
            p class="soft" { "A legenda é a mesma." }
        } @else {
            div dir="auto" {
                @if before.len() + after.len() <= BY_WORDS {
                    (diff::words(before, after))
                } @else {
                    (diff::lines(before, after))
                }
            }
        }
    }
}

fn entry(view: &View<'_>, piece: &Piece, change: &Change) -> Markup {
    let earlier = change.api_revision.previous();
    let query = format!("?de={earlier}&para={}#comparar", change.api_revision);
    let has_caption = change.changes.contains_key("description");
    html! {
        p {
            strong { (change.who()) } " " (change.did())
            " " small { (text::moment_of(&change.occurred_at)) ", revisão " (change.api_revision) }
        }
        @if let Some(reason) = &change.reason { blockquote dir="auto" { (reason) } }
        @let changes = changes(change);
        @if !changes.is_empty() || has_caption {
            ul {
                @for change in changes { li { (change) } }
                @if has_caption {
                    li {
                        "legenda"
                        @if piece.covers(earlier) {
                            ": " a href=(view.at(&format!("{}{query}", path(&piece.event.id)))) {
                                "ver o que mudou" span class="sr" { " na revisão " (change.api_revision) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Describes the changed fields, except the caption.
pub(crate) fn changes(change: &Change) -> Vec<Markup> {
    let mut changes = vec![];
    for (field, change) in &change.changes {
        let (name, values) = match field.as_str() {
            "title" => ("título", text_of(change, str::to_owned)),
            "channel" => (
                "canal",
                text_of(change, |key| words::channel_name(key).to_owned()),
            ),
            "due_at" => ("data", text_of(change, text::moment_of)),
            "editorial_tag" => ("etiqueta", text_of(change, str::to_owned)),
            "post_url" => ("link do post", text_of(change, str::to_owned)),
            "status" => ("estado", text_of(change, status)),
            "assignee_member_ids" => ("responsáveis", None),
            "media" => ("mídias", Some(counts(change))),
            _ => continue,
        };
        changes.push(match values {
            Some((before, after)) => {
                html! { (name) ": " del dir="auto" { (before) } " → " ins dir="auto" { (after) } }
            }
            None => html! { (name) },
        });
    }
    changes
}

fn text_of(change: &Value, written: impl Fn(&str) -> String) -> Option<(String, String)> {
    let side = |side: &str| {
        change[side]
            .as_str()
            .map_or_else(|| "nada".into(), &written)
    };
    Some((side("before"), side("after")))
}

fn status(text: &str) -> String {
    let status = text.parse().map(words::name);
    status.unwrap_or(text).to_owned()
}

fn counts(change: &Value) -> (String, String) {
    let count = |side: &str| change[side].as_array().map_or(0, Vec::len).to_string();
    let (before, after) = (count("before"), count("after"));
    if before == after {
        return (before, format!("{after}, outras ou em outra ordem"));
    }
    (before, after)
}
