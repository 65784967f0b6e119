//! The section of the history, with the difference between two revisions of the piece.

use domain::Revision;
use maud::{Markup, html};
use serde_json::Value;

use super::{
    compared,
    model::{Change, Piece, piece_path},
    words,
};
use crate::{diff, text, view::View};

pub(super) fn history_section(
    view: &View<'_>,
    piece: &Piece,
    compared: Option<(Revision, Revision)>,
) -> Markup {
    html! {
        section aria-labelledby="historico" {
            h2 id="historico" { "Histórico" }
            (draw_comparison(view, piece, compared))
            ol class="history" {
                @for change in &piece.lines {
                    li { (draw_entry(view, piece, change)) }
                }
            }
            @if piece.is_cut { p class="soft" { "Há mudanças mais antigas que estas." } }
        }
    }
}

/// Draws the form that selects two revisions, and their difference.
fn draw_comparison(
    view: &View<'_>,
    piece: &Piece,
    compared: Option<(Revision, Revision)>,
) -> Markup {
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
            form method="get" action={ (view.href_to(&piece_path(&piece.event.id))) "#comparar" } class="compare" {
                (choice("de", "Comparar a", from))
                (choice("para", "com a", to))
                button type="submit" class="quiet" { "Comparar" }
            }
        }
        @if let Some((from, to)) = compared {
            div id="comparar" class="card compared" {
                @if piece.covers_revision(from) && piece.covers_revision(to) {
                    h3 { "Da revisão " (from) " à " (to) }
                    (draw_captions(piece, from, to))
                    (draw_caption_diff(piece.caption_at(from), piece.caption_at(to)))
                    (draw_media_diff(piece, from, to))
                } @else {
                    p { "Uma dessas revisões não está no histórico desta peça." }
                }
            }
        }
    }
}

/// Draws the captions of two revisions side by side. Empty if the captions are equal.
fn draw_captions(piece: &Piece, from: Revision, to: Revision) -> Markup {
    let captions = [from, to].map(|revision| (revision, piece.caption_at(revision)));
    html! {
        @if captions[0].1 != captions[1].1 {
            div class="versions" {
                @for (revision, caption) in captions {
                    div {
                        h4 { "Revisão " (revision) }
                        @if caption.is_empty() { p class="soft" { "Sem legenda." } }
                        @else { p class="card written" dir="auto" { (caption) } }
                    }
                }
            }
            h4 { "O que mudou na legenda" }
        }
    }
}

/// Draws the difference between the media of two revisions.
fn draw_media_diff(piece: &Piece, from: Revision, to: Revision) -> Markup {
    let (old, new) = (piece.media_at(from), piece.media_at(to));
    let labels = [from, to].map(|revision| format!("Revisão {revision}"));
    html! {
        @if old == new {
            @if !old.is_empty() { p class="soft" { "As mídias são as mesmas." } }
        } @else {
            (compared::draw_differences([&labels[0], &labels[1]], &old, &new))
        }
    }
}

/// The maximum length in bytes of captions that are compared word by word. Longer captions are
/// compared line by line.
const BY_WORDS: usize = 12_000;

/// Draws the difference between two captions.
pub(crate) fn draw_caption_diff(before: &str, after: &str) -> Markup {
    html! {
        @if before == after {
            p class="soft" { "A legenda é a mesma." }
        } @else {
            div dir="auto" {
                @if before.len() + after.len() <= BY_WORDS {
                    (diff::draw_word_diff(before, after))
                } @else {
                    (diff::draw_line_diff(before, after))
                }
            }
        }
    }
}

fn draw_entry(view: &View<'_>, piece: &Piece, change: &Change) -> Markup {
    let earlier = change.api_revision.previous();
    let query = format!("?de={earlier}&para={}#comparar", change.api_revision);
    let has_caption = change.changes.contains_key("description");
    html! {
        p {
            strong { (change.author_text()) } " " (change.change_verb())
            " " small { (text::format_iso_moment(&change.occurred_at)) ", revisão " (change.api_revision) }
        }
        @if let Some(reason) = &change.reason { blockquote dir="auto" { (reason) } }
        @let changes = describe_changed_fields(change);
        @if !changes.is_empty() || has_caption {
            ul {
                @for change in changes { li { (change) } }
                @if has_caption {
                    li {
                        "legenda"
                        @if piece.covers_revision(earlier) {
                            ": " a href=(view.href_to(&format!("{}{query}", piece_path(&piece.event.id)))) {
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
pub(crate) fn describe_changed_fields(change: &Change) -> Vec<Markup> {
    let mut changes = vec![];
    for (field, change) in &change.changes {
        let (name, values) = match field.as_str() {
            "title" => ("título", format_old_and_new_text(change, str::to_owned)),
            "channel" => (
                "canal",
                format_old_and_new_text(change, |key| words::channel_name(key).to_owned()),
            ),
            "due_at" => (
                "data",
                format_old_and_new_text(change, text::format_iso_moment),
            ),
            "editorial_tag" => ("etiqueta", format_old_and_new_text(change, str::to_owned)),
            "post_url" => (
                "link do post",
                format_old_and_new_text(change, str::to_owned),
            ),
            "status" => ("situação", format_old_and_new_text(change, status_text)),
            "assignee_member_ids" => ("responsáveis", None),
            "media" => ("mídias", Some(format_old_and_new_counts(change))),
            "variantes" => {
                changes.push(describe_variants(change));
                continue;
            }
            "variantes_decididas" => {
                let named = change["after"].as_array().into_iter().flatten();
                let named: Vec<&str> = named.filter_map(Value::as_str).collect();
                changes.push(html! { "canais: " (named.join(", ")) });
                continue;
            }
            "variante_publicada" => {
                let name = change["after"]["canal"].as_str().unwrap_or_default();
                let format = change["after"]["formato"].as_str().unwrap_or_default();
                let link = change["after"]["link"].as_str().unwrap_or("sem link");
                changes.push(html! {
                    "canal no ar: " (words::channel_name(name)) " (" (format) "), " span dir="auto" { (link) }
                });
                continue;
            }
            "stage" => {
                changes.push(describe_stage(change));
                continue;
            }
            "decided_as" => {
                let role = change["after"].as_str().unwrap_or_default();
                let how = if role == "admin" { "como" } else { "por" };
                changes.push(html! { "decidiu " (how) " " (role) });
                continue;
            }
            "changed_after_approval_of" => {
                let names = change["after"].as_str().unwrap_or_default();
                changes.push(
                    html! { "a legenda mudou depois da aprovação de " span dir="auto" { (names) } },
                );
                continue;
            }
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

/// Describes the decided stage and the next stage.
fn describe_stage(change: &Value) -> Markup {
    let before = change["before"].as_str().unwrap_or_default();
    let next = change["after"].as_str().filter(|after| *after != before);
    html! {
        "etapa: " span dir="auto" { (before) }
        @if let Some(next) = next { ", depois " span dir="auto" { (next) } }
    }
}

/// Describes the channels that were added, changed and removed.
fn describe_variants(change: &Value) -> Markup {
    fn as_text(value: &Value) -> &str {
        value.as_str().unwrap_or_default()
    }
    let named = |side: &str| -> Vec<(&str, &str)> {
        let variants = change[side].as_array().into_iter().flatten();
        variants
            .map(|variant| (as_text(&variant["canal"]), as_text(&variant["formato"])))
            .collect()
    };
    let (before, after) = (named("before"), named("after"));
    let name =
        |(channel, format): &(&str, &str)| format!("{} ({format})", words::channel_name(channel));
    let changed = after.iter().map(|variant| match before.contains(variant) {
        true => format!("{} mudou", name(variant)),
        false => format!("{} entrou", name(variant)),
    });
    let gone = before.iter().filter(|variant| !after.contains(variant));
    let gone = gone.map(|variant| format!("{} saiu", name(variant)));
    let all: Vec<String> = changed.chain(gone).collect();
    html! { "canais: " span dir="auto" { (all.join(", ")) } }
}

fn format_old_and_new_text(
    change: &Value,
    written: impl Fn(&str) -> String,
) -> Option<(String, String)> {
    let side = |side: &str| {
        change[side]
            .as_str()
            .map_or_else(|| "nada".into(), &written)
    };
    Some((side("before"), side("after")))
}

fn status_text(text: &str) -> String {
    let status = text.parse().map(words::status_name);
    status.unwrap_or(text).to_owned()
}

fn format_old_and_new_counts(change: &Value) -> (String, String) {
    let count = |side: &str| change[side].as_array().map_or(0, Vec::len).to_string();
    let (before, after) = (count("before"), count("after"));
    if before == after {
        return (before, format!("{after}, outras ou em outra ordem"));
    }
    (before, after)
}
