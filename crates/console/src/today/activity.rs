//! The section with the changes that agents made since yesterday. Each change has a link to its resource
//! and, if the change can be undone, an undo button.

use domain::EventStatus;
use maud::{Markup, html};

use crate::{
    agent_changes::{Activity, Change, Undo},
    forms::operation_form,
    piece::model::piece_path,
    text,
    view::View,
};

pub(super) fn activity_section(view: &View<'_>, activity: &Activity) -> Markup {
    html! {
        section class="card" aria-labelledby="agentes" {
            h2 id="agentes" { "O que os agentes fizeram" }
            @if activity.mudancas.is_empty() {
                p class="soft" { "Nada desde ontem." }
            } @else {
                ul class="day-list" {
                    @for change in &activity.mudancas { li { (draw_change(view, change)) } }
                }
                @if activity.ha_mais { p class="soft" { "Há mais mudanças; estas são as mais recentes." } }
            }
        }
    }
}

fn draw_change(view: &View<'_>, change: &Change) -> Markup {
    html! {
        p {
            strong dir="auto" { (change.agent.as_deref().unwrap_or("Um agente")) }
            ", em nome de " span dir="auto" { (change.actor_name) } ", " (change.draw_sentence(view))
        }
        div class="row" {
            small { (text::time_tag(&change.occurred_at)) }
            (undo_form(view, change))
        }
    }
}

/// Returns the path of the comparison that shows a change or, if the revision of the change is unknown,
/// the path of the history.
fn compared_path(id: &str, change: &Change) -> String {
    let path = piece_path(id);
    match change.revisao {
        Some(revision) => format!("{path}?de={}&para={revision}#comparar", revision.previous()),
        None => format!("{path}#historico"),
    }
}

fn undo_form(view: &View<'_>, change: &Change) -> Markup {
    let (Some(undo), Some(id), Some(revision)) =
        (change.undo, &change.resource_id, change.api_revision)
    else {
        return html! {};
    };
    match undo {
        Undo::ReopenEvent if view.may_call("reopen_event") => {
            let fields = html! {
                input type="hidden" name="eventId" value=(id);
                input type="hidden" name="expected_revision" value=(revision);
                button type="submit" class="plain" {
                    "Desfazer o envio"
                    span class="sr" { " de " (change.title.as_deref().unwrap_or_default()) }
                }
            };
            operation_form(view, "reopen_event", "/", &fields)
        }
        Undo::UpdateEvent if view.may_call("update_event") => {
            let fields = html! {
                input type="hidden" name="eventId" value=(id);
                input type="hidden" name="expected_revision" value=(revision);
                input type="hidden" name="status" value=(EventStatus::Archived.as_str());
                button type="submit" class="plain" {
                    "Arquivar"
                    span class="sr" { " " (change.title.as_deref().unwrap_or_default()) }
                }
            };
            operation_form(view, "update_event", "/", &fields)
        }
        Undo::SaveDraft if view.may_call("save_draft") => html! {
            a href=(view.href_to(&compared_path(id, change))) {
                "Ver o que mudou"
                span class="sr" { " em " (change.title.as_deref().unwrap_or_default()) }
            }
        },
        _ => html! {},
    }
}
