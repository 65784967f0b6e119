//! What agents changed since yesterday, with a link to each resource and an undo where one exists.

use maud::{Markup, html};

use super::model::{Activity, Change, Undo};
use crate::{forms::operation_form, piece::words, text, view::View};

pub(super) fn section(view: &View<'_>, activity: &Activity) -> Markup {
    html! {
        section class="card" aria-labelledby="agentes" {
            h2 id="agentes" { "O que os agentes fizeram" }
            @if activity.mudancas.is_empty() {
                p class="soft" { "Nada desde ontem." }
            } @else {
                ul class="day-list" {
                    @for change in &activity.mudancas { li { (entry(view, change)) } }
                }
                @if activity.ha_mais { p class="soft" { "Há mais: estas são as mudanças mais novas." } }
            }
        }
    }
}

fn entry(view: &View<'_>, change: &Change) -> Markup {
    html! {
        p {
            strong dir="auto" { (change.agent.as_deref().unwrap_or("Um agente")) }
            " por " span dir="auto" { (change.actor_name) } " " (describe(view, change))
            @if let Some(path) = path_of(change) {
                ": " a href=(view.at(&path)) dir="auto" { (change.title.as_deref().unwrap_or("abrir")) }
            }
        }
        div class="row" {
            small { (text::time_tag(&change.occurred_at)) }
            (undo(view, change))
        }
    }
}

/// The change in words: the verb for a piece, else the title of the operation.
fn describe(view: &View<'_>, change: &Change) -> String {
    let words = words::did(&change.action, None);
    if words != change.action {
        return words.to_owned();
    }
    let operation = view.operation(&change.action);
    operation.map_or_else(
        || change.action.clone(),
        |operation| format!("fez “{}”", operation.spec.title),
    )
}

/// The page of the resource that changed.
fn path_of(change: &Change) -> Option<String> {
    let id = change.resource_id.as_deref()?;
    match change.resource_type.as_deref()? {
        "event" => change.title.as_ref().map(|_| format!("/eventos/{id}")),
        "project" => Some(format!("/projetos/{id}")),
        "email_draft" => Some("/emails".to_owned()),
        _ => None,
    }
}

fn undo(view: &View<'_>, change: &Change) -> Markup {
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
        Undo::SaveDraft if view.may_call("save_draft") => html! {
            a href=(view.at(&format!("/eventos/{id}#historico"))) {
                "Ver o que mudou"
                span class="sr" { " em " (change.title.as_deref().unwrap_or_default()) }
            }
        },
        _ => html! {},
    }
}
