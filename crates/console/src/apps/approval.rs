use domain::EventStatus;
use gateway::Result;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::fragment::Fragment;
use crate::{
    approvals::REASONS,
    links::percent_encode,
    piece::{model::Piece, stage, words},
    text,
};

/// Draws a piece in approval from the answer of `get_event`. The path is the id of the piece.
pub(super) async fn draw_approval(fragment: &Fragment<'_>) -> Result<Markup> {
    let input = json!({ "eventId": fragment.path });
    let answer: Value = fragment.view.read("get_event", input).await?;
    let piece = Piece::from_answer(answer)?;
    let event = &piece.event;
    let submitted = piece.last_change_by("submit_for_approval");
    let waits = event.status == EventStatus::InApproval;
    Ok(html! {
        article class="approval" data-event=(event.id) data-revision=(event.api_revision) {
            header {
                h1 dir="auto" {
                    a href={ (fragment.base()) "/eventos/" (percent_encode(&event.id)) } {
                        span { (event.title) }
                    }
                }
                p class="row" {
                    (words::status_badge(event.status))
                    span { (words::channel_name(&event.channel)) }
                    @if let Some(due) = &event.due_at { span { (text::format_iso_moment(due)) } }
                }
                @if let Some(change) = submitted {
                    p class="soft submitted" { "Enviada por " (change.author_text()) ", " (text::format_iso_moment(&change.occurred_at)) }
                }
            }
            div class="context" {
                (stage::draw_slides(event, "midia"))
                div class="words" {
                    @if piece.caption().is_empty() {
                        p class="soft" { "Sem legenda." }
                    } @else {
                        p class="written" dir="auto" tabindex="-1" { (piece.caption()) }
                        div class="pages" hidden {
                            button type="button" class="quiet" data-column="-1" aria-label="Trecho anterior da legenda" { "‹" }
                            span role="status" {}
                            button type="button" class="quiet" data-column="1" aria-label="Próximo trecho da legenda" { "›" }
                        }
                    }
                }
            }
            @if waits {
                form data-decide {
                    button type="button" value="aprovar" { "Aprovar" }
                    details {
                        summary { span { "Recusar" } span class="back" { "Voltar" } }
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
                            textarea name="motivo" rows="1" maxlength="1800" dir="auto" {}
                        }
                        button type="button" value="recusar" class="danger" { "Recusar com este motivo" }
                    }
                }
            } @else {
                p class="notice" { "Esta peça já não espera decisão." }
                button type="button" value="seguinte" { "Ver a seguinte" }
            }
        }
    })
}
