//! The section with the publications of variants on the page of publications: the publications that wait
//! for their hour or for a person. If the page is limited to one piece, all publications of the piece.

use domain::Format;
use gateway::Result;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::steps::{Stand, draw_step};
use crate::{
    channels::{channel_name, format_name},
    forms::operation_form,
    links::percent_encode,
    text::time_tag,
    view::View,
};

const PATH: &str = "/publicacoes";

/// The part of the answer of `list_publications` that the page reads.
#[derive(Deserialize)]
struct Answer {
    publications: Vec<Scheduled>,
    next_cursor: Option<String>,
    paused_at: Option<String>,
    pause_reason: Option<String>,
}

#[derive(Deserialize)]
struct Scheduled {
    id: String,
    event_id: String,
    title: String,
    network: String,
    format: Format,
    status: String,
    due_at: String,
    link: Option<String>,
    comment: String,
    message: Option<String>,
    next: Option<String>,
    /// The decisions that the state allows.
    actions: Vec<String>,
    evidence: Option<Evidence>,
}

/// The state of the post on the network, read after the answer of the network was lost.
#[derive(Deserialize)]
struct Evidence {
    #[serde(default)]
    links: Vec<String>,
}

/// Draws the publications of variants, and the button that pauses all publications. Empty for members
/// who may not publish.
pub(super) async fn draw_scheduled(
    view: &View<'_>,
    (event, cursor): (Option<&str>, Option<&str>),
) -> Result<Markup> {
    if !view.may_call("list_publications") {
        return Ok(html! {});
    }
    let input =
        json!({ "event_id": event, "esperam": event.is_none(), "cursor": cursor, "limit": 50 });
    let answer: Answer = view.read("list_publications", input).await?;
    let paused = answer.paused_at.is_some();
    Ok(html! {
        @if !answer.publications.is_empty() || paused {
            section class="stack" aria-labelledby="agendadas" {
                div class="spread" {
                    h2 id="agendadas" {
                        @if event.is_some() { "Nos canais da peça" } @else { "Esperam a hora ou uma decisão" }
                    }
                    (draw_pause_button(view, paused))
                }
                @if paused {
                    p role="status" {
                        strong { "Tudo pausado." }
                        @if let Some(reason) = &answer.pause_reason { " " (reason) }
                    }
                }
                ul class="plain-list" {
                    @for one in &answer.publications {
                        li class="card" { (draw_publication(view, one)) }
                    }
                }
                @if let Some(next) = &answer.next_cursor {
                    @let piece = event.map(|id| format!("evento={}&", percent_encode(id))).unwrap_or_default();
                    p { a class="button quiet" href=(view.href_to(&format!("{PATH}?{piece}fila={}", percent_encode(next)))) { "Mostrar mais" } }
                }
            }
        }
    })
}

fn draw_pause_button(view: &View<'_>, paused: bool) -> Markup {
    let (value, word) = match paused {
        true => ("false", "Retomar tudo"),
        false => ("true", "Pausar tudo"),
    };
    let fields = html! {
        input type="hidden" name="paused" value=(value);
        button type="submit" class=[(!paused).then_some("quiet")] { (word) }
    };
    operation_form(view, "pause_publishing", PATH, &fields)
}

fn draw_publication(view: &View<'_>, one: &Scheduled) -> Markup {
    html! {
        div class="spread" {
            h3 dir="auto" class="clamp" {
                a href=(view.href_to(&format!("/eventos/{}", one.event_id))) { (one.title) }
            }
            (status_badge(&one.status))
        }
        p class="soft" { (channel_name(&one.network)) ", " (format_name(one.format)) ", " (time_tag(&one.due_at)) }
        @if let Some(message) = &one.message { p { (message) } }
        @if let Some(next) = &one.next { p { (next) } }
        @for link in one.evidence.iter().flat_map(|evidence| &evidence.links) {
            p { a href=(link) rel="noopener noreferrer" target="_blank" { "Pode ser este post" } }
        }
        @if matches!(one.comment.as_str(), "failed" | "unknown") {
            p { "O post está no ar, mas o primeiro comentário não foi confirmado." }
        }
        @if let Some(link) = &one.link {
            p { a href=(link) rel="noopener noreferrer" target="_blank" { "Ver o post" } }
        }
        details {
            summary { "Andamento" }
            (draw_steps(&one.status))
        }
        (draw_decisions(view, one))
    }
}

/// The automatic steps of a publication: the state, the text for a completed step, and the text for the
/// current step.
const STEPS: [(&str, &str, &str); 5] = [
    ("scheduled", "Agendada", "Agendada: espera o preparo"),
    (
        "preparing",
        "Preparada na rede",
        "Preparando na rede, onde ninguém vê",
    ),
    ("ready", "Pronta", "Pronta: espera a hora"),
    ("publishing", "Enviada", "Enviando"),
    ("checking", "Confirmada", "Conferindo na rede"),
];

/// Draws the steps of a publication in this state.
fn draw_steps(status: &str) -> Markup {
    let current = STEPS.iter().position(|(state, ..)| *state == status);
    // A publication that ended without a post may have ended at any step, so only the first step is
    // shown as completed.
    let (reached, end, word) = match status {
        "published" => (STEPS.len(), Stand::Done, "No ar"),
        "unknown" => (STEPS.len() - 1, Stand::Open, "Não se sabe se foi ao ar"),
        "failed" => (1, Stand::Bad, "Não foi ao ar"),
        "late" => (1, Stand::Open, "Passou da hora: espera uma decisão"),
        "canceled" => (1, Stand::Bad, "Cancelada"),
        _ => (current.unwrap_or(0), Stand::Next, "No ar"),
    };
    let stand = |at: usize| match at {
        at if at < reached => Stand::Done,
        at if Some(at) == current => Stand::Now,
        _ => Stand::Next,
    };
    html! {
        ol class="steps" aria-label="Andamento" {
            @for (at, (_, done, now)) in STEPS.iter().enumerate() {
                (draw_step(stand(at), if stand(at) == Stand::Now { now } else { done }))
            }
            (draw_step(end, word))
        }
    }
}

/// Draws the forms of the decisions that the state of the publication allows.
fn draw_decisions(view: &View<'_>, one: &Scheduled) -> Markup {
    let allows = |action: &str| one.actions.iter().any(|allowed| allowed == action);
    let decision = |action: &str, word: &str| {
        let fields = html! {
            input type="hidden" name="publication_id" value=(one.id);
            input type="hidden" name="action" value=(action);
            button type="submit" class="quiet" { (word) }
        };
        html! { @if allows(action) { (operation_form(view, "decide_publication", PATH, &fields)) } }
    };
    html! {
        @if !one.actions.is_empty() {
            details {
                summary { "Decidir" }
                div class="row" {
                    (decision("publicar_agora", "Publicar agora"))
                    // For a late publication, "try again" has the same effect as "publish now", so the
                    // button is omitted.
                    @if one.status != "late" { (decision("tentar_de_novo", "Não está no ar: tentar de novo")) }
                    (decision("cancelar", "Cancelar"))
                }
                @if allows("no_ar") {
                    (operation_form(view, "decide_publication", PATH, &html! {
                        input type="hidden" name="publication_id" value=(one.id);
                        input type="hidden" name="action" value="no_ar";
                        label { "Está no ar neste endereço"
                            input type="url" name="link" required maxlength="2000" pattern="\\s*https://.*";
                        }
                        button type="submit" class="quiet" { "Registrar o link" }
                    }))
                }
            }
        }
    }
}

fn status_badge(status: &str) -> Markup {
    let (class, word) = match status {
        "scheduled" => ("badge info", "Agendada"),
        "preparing" => ("badge info", "Em preparo"),
        "ready" => ("badge info", "Pronta para a hora"),
        "publishing" | "checking" => ("badge info", "Publicando"),
        "published" => ("badge good", "No ar"),
        "failed" => ("badge bad", "Não foi ao ar"),
        "canceled" => ("badge", "Cancelada"),
        "late" => ("badge wait", "Passou da hora"),
        _ => ("badge wait", "Confira na rede"),
    };
    html! { span class=(class) { (word) } }
}
