//! The actions that the viewer may take on a piece in its status.

use domain::{Capability, EventStatus};
use maud::{Markup, html};

use super::{
    act::action_form,
    model::{Event, Piece},
    publish, words,
};
use crate::{publishing::Networks, view::View};

pub(super) fn draw_actions(view: &View<'_>, piece: &Piece, networks: &Networks) -> Markup {
    let event = &piece.event;
    let offered: Vec<Markup> = [
        write_link(view, event),
        decide_link(view, event),
        withdraw_form(view, piece),
        publish::publish_section(view, piece, networks),
        publish::published_link_form(view, event),
        reopen_form(view, event),
        restore_form(view, event),
        archive_form(view, piece),
    ]
    .into_iter()
    .flatten()
    .collect();
    html! {
        section aria-labelledby="acoes" {
            h2 id="acoes" { "O que fazer agora" }
            p class="soft" { (words::status_name(event.status)) ": " (words::status_meaning(event.status)) }
            @if offered.is_empty() {
                p { "Não há nada que você possa fazer com esta peça nesta situação." }
            }
            div class="stack actions" { @for action in offered { (action) } }
            @if let Some(approval) = event.aprovacao.as_ref().filter(|_| !event.may_decide()) {
                p class="soft" { (approval.waiting_sentence()) }
            } @else if event.status == EventStatus::InApproval && !view.has_capability(Capability::Approve) {
                p class="soft" { "Quem decide são os líderes e admins da equipe." }
            }
        }
    }
}

fn write_link(view: &View<'_>, event: &Event) -> Option<Markup> {
    let offered = event.is_editable() && view.may_call("save_draft");
    offered.then(|| html! { p { a href="#legenda" { "Escrever a legenda e enviar" } } })
}

fn decide_link(view: &View<'_>, event: &Event) -> Option<Markup> {
    let offered = event.status == EventStatus::InApproval
        && view.may_call("decide_approval")
        && event.may_decide();
    let to = format!("/aprovacoes?evento={}", event.id);
    offered.then(
        || html! { a class="button decide" href=(view.href_to(&to)) { "Aprovar ou recusar" } },
    )
}

/// Returns true if the viewer may withdraw the piece, as an approver or as the submitter.
fn may_withdraw(view: &View<'_>, piece: &Piece) -> bool {
    let submitted = piece.last_change_by("submit_for_approval");
    let mine = submitted.is_some_and(|change| change.actor_member_id == view.member().id.as_str());
    view.has_capability(Capability::Approve) || mine
}

fn withdraw_form(view: &View<'_>, piece: &Piece) -> Option<Markup> {
    let event = &piece.event;
    let offered = event.status == EventStatus::InApproval
        && view.may_call("reopen_event")
        && may_withdraw(view, piece);
    offered.then(|| {
        let fields = html! { button type="submit" class="quiet" { "Retirar da aprovação" } };
        action_form(view, event, "reopen_event", &fields)
    })
}

fn reopen_form(view: &View<'_>, event: &Event) -> Option<Markup> {
    let offered = event.status == EventStatus::Approved && view.has_capability(Capability::Approve);
    offered.then(|| {
        let fields = html! {
            label class="field" {
                span { "Motivo" }
                textarea name="motivo" rows="3" required maxlength="2000" dir="auto" {}
            }
            button type="submit" class="quiet" { "Reabrir" }
        };
        html! {
            details { summary { "Reabrir para refazer" } (action_form(view, event, "reopen_event", &fields)) }
        }
    })
}

fn restore_form(view: &View<'_>, event: &Event) -> Option<Markup> {
    let offered =
        event.status == EventStatus::Archived && view.has_capability(Capability::TasksAssign);
    offered.then(|| {
        let fields = html! {
            input type="hidden" name="status" value="a fazer";
            button type="submit" { "Devolver à agenda" }
        };
        action_form(view, event, "update_event", &fields)
    })
}

fn archive_form(view: &View<'_>, piece: &Piece) -> Option<Markup> {
    let event = &piece.event;
    let offered = match event.status {
        EventStatus::Archived => false,
        EventStatus::InApproval => may_withdraw(view, piece),
        _ => true,
    };
    (offered && view.has_capability(Capability::TasksAssign)).then(|| {
        let fields = html! {
            input type="hidden" name="status" value="arquivado";
            p { "A peça sai da agenda e pode voltar depois." }
            button type="submit" class="danger" { "Arquivar a peça" }
        };
        html! { details { summary { "Arquivar" } (action_form(view, event, "update_event", &fields)) } }
    })
}
