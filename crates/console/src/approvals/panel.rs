//! The forms of a decision.

use maud::{Markup, html};

use crate::{
    forms::key_field,
    piece::{caption, details, model::Event},
    view::View,
};

/// Common reasons for a refusal.
pub(crate) const REASONS: [&str; 5] = [
    "Erro de português na legenda.",
    "A informação precisa ser conferida.",
    "Fora do tom da marca.",
    "A imagem não está boa o bastante.",
    "Falta a chamada para a ação.",
];

/// Draws the forms that approve or refuse a piece, or ask for changes. `open_threads` is the number of
/// the piece's open threads.
pub(super) fn decision_panel(
    view: &View<'_>,
    event: &Event,
    next: Option<&str>,
    (reason, open_threads): (&str, usize),
) -> Markup {
    let action = view.href_to(&format!("/aprovacoes/{}", event.id));
    let held = event.aprovacao.as_ref().filter(|one| !one.pode_aprovar);
    let hidden = |decision: &str| {
        html! {
            (key_field())
            input type="hidden" name="expected_revision" value=(event.api_revision);
            input type="hidden" name="action" value=(decision);
            @if let Some(next) = next { input type="hidden" name="proxima" value=(next); }
        }
    };
    html! {
        section id={ "decisao-" (event.id) } class="card stack decision" aria-labelledby="decisao" {
            h2 id="decisao" { "Sua decisão" }
            div class="notice good" data-held hidden {
                p { strong data-label { "Decidida" } ". É gravada em instantes." }
                button type="button" class="quiet" data-undo { "Desfazer esta" }
            }
            @if let Some(approval) = held {
                p { (approval.why_not_approve(&view.member().id)) }
            } @else {
                form method="post" action=(action) class="form" data-hold="Aprovada" data-title=(event.title) {
                    (hidden("aprovar"))
                    button type="submit" data-key="a" { "Aprovar" kbd { "A" } }
                    div class="outcome" role="alert" {}
                }
            }
            details class="request" {
                summary class="button quiet" data-key="p" { "Pedir ajustes" kbd { "P" } }
                form method="post" action=(action) class="form stack" data-hold="Ajustes pedidos" data-title=(event.title) {
                    (hidden("pedir_ajustes"))
                    p { "A peça volta para quem a fez, com os comentários em aberto como lista do que fazer." }
                    label class="field" {
                        span { "Algo mais" @if open_threads == 0 { ", já que não há comentário em aberto" } }
                        textarea name="motivo" rows="3" maxlength="1800" dir="auto" required[open_threads == 0] {}
                    }
                    button type="submit" { "Pedir ajustes" }
                    div class="outcome" role="alert" {}
                }
            }
            details class="refuse" open[!reason.is_empty()] {
                summary class="button danger" data-key="r" { "Recusar" kbd { "R" } }
                form method="post" action=(action) class="form stack" data-hold="Recusada" data-title=(event.title) {
                    (hidden("recusar"))
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
                        textarea name="motivo" rows="4" maxlength="1800" dir="auto" { "\n" (reason) }
                    }
                    button type="submit" class="danger" { "Recusar com este motivo" }
                    div class="outcome" role="alert" {}
                }
            }
            @if held.is_none() {
                details class="adjust" {
                    summary { "Aprovar com ajustes" }
                    form method="post" action=(action) class="form stack" data-hold="Aprovada" data-title=(event.title) {
                        (hidden("aprovar"))
                        (caption::caption_field(event, event.description.as_deref().unwrap_or_default()))
                        (details::date_fields(event))
                        button type="submit" class="quiet" { "Aprovar assim" }
                        div class="outcome" role="alert" {}
                    }
                }
            }
            p class="soft" { "A decisão vale para a revisão " (event.api_revision) "." }
            p class="soft shortcuts" {
                kbd { "J" } " próxima, " kbd { "K" } " anterior, " @if held.is_none() { kbd { "A" } " aprova, " } kbd { "P" } " pede ajustes, " kbd { "R" } " recusa, " kbd { "C" } " comenta, "
                kbd { "U" } " desfaz em 5 segundos"
                @if event.media.len() > 1 { ", " kbd { "←" } " " kbd { "→" } " viram as mídias" }
                "."
            }
        }
    }
}
