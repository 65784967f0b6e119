use domain::EventStatus;
use gateway::Result;
use maud::html;
use serde_json::Value;

use super::given::Given;
use crate::{
    approvals::REASONS,
    piece::{model::Piece, stage, words},
    text,
};

/// Draws a piece in approval from the answer of `get_event`.
pub(super) fn draw_approval(answer: Value, _: &Given<'_>) -> Result<String> {
    let piece = Piece::from_answer(answer)?;
    let event = &piece.event;
    let submitted = piece.last_change_by("submit_for_approval");
    let waits = event.status == EventStatus::InApproval;
    let card = html! {
        article class="stack" data-event=(event.id) data-revision=(event.api_revision) {
            header {
                h1 dir="auto" { (event.title) }
                p class="row" {
                    (words::status_badge(event.status))
                    span { (words::channel_name(&event.channel)) }
                    @if let Some(due) = &event.due_at { span { (text::format_iso_moment(due)) } }
                }
                @if let Some(change) = submitted {
                    p class="soft" { "Enviada por " (change.author_text()) ", " (text::format_iso_moment(&change.occurred_at)) }
                }
            }
            (stage::draw_slides(event, "midia"))
            @if piece.caption().is_empty() {
                p class="soft" { "Sem legenda." }
            } @else {
                p class="card written" dir="auto" { (piece.caption()) }
            }
            @if waits {
                form class="stack" data-decide {
                    button type="button" value="aprovar" { "Aprovar" }
                    details {
                        summary { "Recusar" }
                        fieldset {
                            legend { "Motivo" }
                            @for reason in REASONS {
                                label class="choice" {
                                    input type="checkbox" name="rapido" value=(reason);
                                    span { (reason) }
                                }
                            }
                        }
                        label class="field" {
                            span { "Com as suas palavras" }
                            textarea name="motivo" rows="3" maxlength="1800" dir="auto" {}
                        }
                        button type="button" value="recusar" class="danger" { "Recusar com este motivo" }
                    }
                }
            } @else {
                p class="notice" { "Esta peça já não espera decisão." }
            }
        }
    };
    Ok(card.into_string())
}
