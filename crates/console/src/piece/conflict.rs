//! The choice between two versions of a piece: the version that the person edited, and the current
//! version.

use domain::Revision;
use gateway::Reply;
use maud::{Markup, html};

use super::{
    caption, history,
    model::{Change, Piece, piece_path},
};
use crate::{forms::key_field, shell, text, view::View};

/// Replies with the conflict page: the caption that the person edited, based on an earlier revision,
/// beside the stored caption.
pub(super) fn caption_conflict_page(
    view: &View<'_>,
    piece: &Piece,
    seen: Revision,
    mine: &str,
) -> Reply {
    let event = &piece.event;
    let title = "A peça mudou enquanto você escrevia";
    let action = format!("{}/legenda", piece_path(&event.id));
    let body = html! {
        div id={ "conflito-" (event.id) } class="piece" data-module="editor" {
            h1 { (title) }
            p dir="auto" { (event.title) }
            (changes_notice(piece, seen))
            div class="versions" {
                section aria-labelledby="sua" {
                    h2 id="sua" { "A sua" }
                    @if event.is_editable() {
                        form id="editor" method="post" action=(view.href_to(&action)) class="form stack" {
                            (key_field())
                            input type="hidden" name="expected_revision" value=(event.api_revision);
                            (caption::caption_field(event, mine))
                            div class="row" {
                                button type="submit" name="acao" value="salvar" { "Salvar a minha" }
                            }
                            div class="outcome" role="alert" {}
                        }
                    } @else {
                        p class="notice" { "A peça não aceita mais edição. Copie daqui o que quiser guardar." }
                        textarea rows="10" readonly dir="auto" aria-label="O seu texto" { "\n" (mine) }
                    }
                }
                section aria-labelledby="salva" {
                    h2 id="salva" { "A salva" }
                    p class="card written" dir="auto" { (piece.caption()) }
                    a class="button quiet" href=(view.href_to(&piece_path(&event.id))) data-discard=(event.id) {
                        "Ficar com a salva"
                    }
                }
            }
            section aria-labelledby="diferenca" {
                h2 id="diferenca" { "Da salva à sua" }
                div class="card" { (history::draw_caption_diff(piece.caption(), mine)) }
            }
        }
    };
    shell::console_page(view, title, &body)
        .with_status(409)
        .with_header("hx-push-url", "false")
}

/// Draws the notice that lists the changes since the revision that the person saw.
pub(crate) fn changes_notice(piece: &Piece, seen: Revision) -> Markup {
    html! {
        div class="notice wait" {
            p { "Você viu a revisão " (seen) "; agora é a " (piece.event.api_revision) "." }
            ul {
                @for change in piece.changes_after(seen).iter().rev() { li { (describe_change(change)) } }
            }
        }
    }
}

/// Describes one change and its fields. Omits fields that have no name on pages.
pub(crate) fn describe_change(change: &Change) -> Markup {
    let mut changes = history::describe_changed_fields(change);
    if change.changes.contains_key("description") {
        changes.push(html! { "legenda" });
    }
    html! {
        (change.author_text()) " " (change.change_verb()) ", " (text::format_iso_moment(&change.occurred_at))
        @for (number, described) in changes.iter().enumerate() {
            @if number == 0 { " (" } @else { "; " }
            (described)
        }
        @if !changes.is_empty() { ")" }
        @if let Some(reason) = &change.reason { ": " span dir="auto" { (reason) } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn describe_change_with(changes: Value) -> String {
        let change = json!({
            "api_revision": 2, "action": "update_event", "actor_member_id": "m",
            "actor_name": "Ana", "changes": changes, "reason": null, "occurred_at": "",
        });
        let change = serde_json::from_value(change).expect("a change");
        describe_change(&change).into_string()
    }

    #[test]
    fn only_fields_with_a_name_are_in_brackets() {
        let sides = json!({ "before": "a", "after": "b" });
        assert!(describe_change_with(json!({ "title": sides })).ends_with(')'));
        assert!(describe_change_with(json!({ "description": sides })).ends_with(" (legenda)"));
        let none = describe_change_with(json!({ "published_at": sides }));
        assert!(!none.contains(['(', ')']), "{none}");
    }
}
