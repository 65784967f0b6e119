//! The section of the caption, with its form.

use domain::Revision;
use maud::{Markup, html};

use super::{
    details,
    model::{Event, Piece, piece_path},
    remarks::{Remarks, answered_fields},
    words,
};
use crate::{forms::key_field, view::View};

/// Draws the section of the caption: a form if the viewer may edit the caption, otherwise the text.
pub(super) fn caption_section(
    view: &View<'_>,
    piece: &Piece,
    remarks: &Remarks,
    (text, revision): (&str, Revision),
) -> Markup {
    let event = &piece.event;
    let writes = event.is_editable() && view.may_call("save_draft");
    html! {
        section aria-labelledby="legenda" {
            h2 id="legenda" { "Legenda" }
            @if let Some(briefing) = event.briefing.as_deref().filter(|text| !text.is_empty()) {
                details class="briefing" {
                    summary { "Briefing" }
                    p class="written" dir="auto" { (briefing) }
                }
            }
            @if writes {
                (caption_form(view, event, remarks, (text, revision)))
            } @else {
                @if text.is_empty() {
                    p class="soft" { "Sem legenda." }
                } @else {
                    p class="card written" dir="auto" { (text) }
                }
                @if !event.is_editable() {
                    p class="soft screen-only" {
                        "Nesta situação a legenda não muda."
                    }
                } @else {
                    p class="soft" { "Você não tem permissão para escrever a legenda. Um admin da equipe pode dá-la." }
                }
            }
        }
    }
}

/// Draws the form of the caption.
fn caption_form(
    view: &View<'_>,
    event: &Event,
    remarks: &Remarks,
    (text, revision): (&str, Revision),
) -> Markup {
    let action = format!("{}/legenda", piece_path(&event.id));
    html! {
        form id="editor" method="post" action=(view.href_to(&action)) class="form stack" data-draft=(event.id)
            data-revision=(revision) {
            (key_field())
            input type="hidden" name="expected_revision" value=(revision);
            div class="notice wait" data-kept hidden {
                p { "Há um texto que você digitou aqui e não foi salvo." }
                div class="row" {
                    button type="button" class="quiet" data-restore { "Trazer de volta" }
                    button type="button" class="plain" data-forget { "Descartar" }
                }
            }
            (caption_field(event, text))
            @if view.may_call("submit_for_approval") {
                details {
                    summary { "Data proposta ao enviar" }
                    (details::date_fields(event))
                }
                (answered_fields(remarks))
            }
            div class="row" {
                button type="submit" name="acao" value="salvar" { "Salvar rascunho" }
                @if view.may_call("submit_for_approval") {
                    button type="submit" name="acao" value="enviar" class="quiet" { "Enviar para aprovação" }
                }
            }
            div class="outcome" role="alert" {}
        }
    }
}

/// Draws the text field of a caption, with the character limit of its channel.
pub(crate) fn caption_field(event: &Event, text: &str) -> Markup {
    let limit = words::find_channel(&event.channel).and_then(|channel| channel.limit);
    let count = text.chars().count();
    let over = limit.is_some_and(|limit| count > limit);
    html! {
        label class="field" {
            span { "Texto" }
            textarea name="caption" rows="10" dir="auto" maxlength="20000" data-caption data-limit=[limit]
                aria-describedby="contagem" { "\n" (text) }
        }
        p id="contagem" class={ "count" @if over { " over" } } data-count {
            span data-number { (words::format_number(count)) }
            @match limit {
                Some(limit) => {
                    " de " (words::format_number(limit)) " caracteres " (words::channel_with_preposition(&event.channel))
                    strong data-over hidden[!over] { ": longo demais para o canal" }
                }
                None => " caracteres",
            }
        }
    }
}
