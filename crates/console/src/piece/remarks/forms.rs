//! The forms of remarks.

use maud::{Markup, html};

use super::{
    super::model::{Event, Medium, piece_path},
    model::{Extent, Remark, Remarks},
};
use crate::{
    forms::{operation_form, page_form},
    view::View,
};

/// Returns the path of the page that receives the texts of remarks.
fn receiver_path(event: &Event) -> String {
    format!("{}/comentarios", piece_path(&event.id))
}

/// Draws a form with a text field. The page that receives the texts of remarks receives this form.
fn text_form(
    view: &View<'_>,
    event: &Event,
    extent: Extent,
    text: &str,
    fields: &Markup,
) -> Markup {
    let all = html! {
        input type="hidden" name="volta" value=(extent.path(event));
        textarea name="texto" rows="3" required maxlength="4000" dir="auto" aria-label="Texto" { "\n" (text) }
        (fields)
    };
    page_form(view, &receiver_path(event), &all)
}

/// Draws the form of a new remark.
pub(super) fn new_remark_form(
    view: &View<'_>,
    event: &Event,
    remarks: &Remarks,
    extent: Extent,
) -> Markup {
    let fields = html! {
        input type="hidden" name="volta" value=(extent.path(event));
        input type="hidden" name="api_revision" value=(event.api_revision);
        label class="field" {
            span { "Novo comentário" @if extent == Extent::Inbox { " " kbd { "C" } } }
            textarea name="texto" rows="3" required maxlength="4000" dir="auto"
                data-key=[(extent == Extent::Inbox).then_some("c")] data-key-label="Comentar" {}
        }
        details {
            summary { "Onde, e para quem" }
            div class="stack" {
                label class="field" {
                    span { "Sobre" }
                    select name="onde" {
                        option value="" { "a peça toda" }
                        @if event.description.as_deref().is_some_and(|text| !text.is_empty()) {
                            option value="legenda" { "um trecho da legenda" }
                        }
                        @if !remarks.drafts.is_empty() { option value="email" { "um trecho de um e-mail" } }
                        @for (number, medium) in event.media.iter().enumerate() {
                            option value=(medium.id) data-image=[(!is_video(medium)).then_some(&medium.url)] {
                                (medium_name(medium, number + 1))
                            }
                        }
                    }
                }
                label class="field" {
                    span { "O trecho, copiado da legenda" @if !remarks.drafts.is_empty() { " ou do e-mail" } }
                    input name="trecho" maxlength="1000" dir="auto";
                }
                @if !remarks.drafts.is_empty() {
                    label class="field" {
                        span { "O e-mail" }
                        select name="rascunho" {
                            @for draft in &remarks.drafts { option value=(draft.template_id) { (draft.template_id) } }
                        }
                    }
                }
                @if !event.media.iter().all(is_video) { (point_fields()) }
                @if event.media.iter().any(is_video) {
                    label class="field" {
                        span { "O segundo do vídeo" }
                        input type="number" name="segundo" min="0" max="86400" step="any" inputmode="decimal";
                    }
                }
                (mention_fields(remarks))
            }
        }
        label class="choice" {
            input type="checkbox" name="publico" value="convidados";
            span { "Convidados também veem" }
        }
        button type="submit" { "Comentar" }
    };
    page_form(view, &receiver_path(event), &fields)
}

/// Draws the choice of the people whom a remark mentions.
fn mention_fields(remarks: &Remarks) -> Markup {
    html! {
        @if !remarks.people.is_empty() {
            fieldset {
                legend { "Mencionar" }
                @for person in &remarks.people {
                    label class="choice" {
                        input type="checkbox" name="mencoes" value=(person.id);
                        span dir="auto" { (person.name) }
                    }
                }
            }
        }
    }
}

/// Draws the fields for a point or an area of the chosen image, in percent. The script shows the image, and
/// sets the fields to the point that the person presses, or to the area that the person drags over.
fn point_fields() -> Markup {
    html! {
        fieldset data-point {
            legend { "O ponto ou a área da imagem" }
            p class="soft" { "Sem ponto, o comentário é da imagem toda." }
            p class="soft" data-hint hidden { "Clique num ponto, ou arraste o mouse sobre uma área." }
            div class="spot" data-spot hidden {
                img alt="" draggable="false";
                svg aria-hidden="true" { rect hidden {} circle r="7" {} }
            }
            div class="row" {
                @for (name, label) in [
                    ("x", "% da esquerda"), ("y", "% do topo"), ("largura", "% de largura"), ("altura", "% de altura"),
                ] {
                    label class="field" {
                        span { (label) }
                        input type="number" name=(name) min="0" max="100" step="any" inputmode="decimal";
                    }
                }
            }
        }
    }
}

pub(super) fn is_video(medium: &Medium) -> bool {
    medium.media_type.starts_with("video/")
}

fn medium_name(medium: &Medium, number: usize) -> String {
    match is_video(medium) {
        true => format!("a mídia {number}, um vídeo"),
        false => format!("a imagem {number}"),
    }
}

/// Draws the forms that answer, resolve or reopen a thread.
pub(super) fn thread_forms(
    view: &View<'_>,
    event: &Event,
    (first, remarks): (&Remark, &Remarks),
    extent: Extent,
) -> Markup {
    let is_resolved = first.resolved_at.is_some();
    let answer = html! {
        input type="hidden" name="responde_a" value=(first.id);
        input type="hidden" name="api_revision" value=(event.api_revision);
        @if !remarks.people.is_empty() {
            details { summary { "Mencionar alguém" } (mention_fields(remarks)) }
        }
        button type="submit" class="quiet" { "Responder" }
    };
    let state = html! {
        input type="hidden" name="remarkId" value=(first.id);
        input type="hidden" name="resolvido" value=(if is_resolved { "false" } else { "true" });
        button type="submit" class="quiet" { @if is_resolved { "Reabrir" } @else { "Resolver" } }
    };
    html! {
        div class="thread-tools" {
            (operation_form(view, "update_remark", &extent.path(event), &state))
            details {
                summary { "Responder" }
                (text_form(view, event, extent, "", &answer))
            }
        }
    }
}

/// Draws the forms that edit or remove a remark of the viewer.
pub(super) fn own_forms(
    view: &View<'_>,
    event: &Event,
    remark: &Remark,
    text: &str,
    extent: Extent,
) -> Markup {
    let edit = html! {
        input type="hidden" name="comentario" value=(remark.id);
        button type="submit" class="quiet" { "Salvar" }
    };
    let remove = html! {
        input type="hidden" name="remarkId" value=(remark.id);
        p { "O texto some de vez; as respostas ficam." }
        button type="submit" class="danger" { "Remover o comentário" }
    };
    html! {
        div class="own-tools" {
            details { summary { "Editar" } (text_form(view, event, extent, text, &edit)) }
            details { summary { "Remover" } (operation_form(view, "remove_remark", &extent.path(event), &remove)) }
        }
    }
}

/// Draws the choice of the threads that a version answers, for the form that submits the version.
pub(in super::super) fn answered_fields(remarks: &Remarks) -> Markup {
    html! {
        @if remarks.count_open() > 0 {
            details {
                summary { "O que esta versão atende" }
                fieldset {
                    legend { "Ao enviar, quem aprova vê o que foi atendido." }
                    @for thread in &remarks.open {
                        label class="choice" {
                            input type="checkbox" name="comentarios_respondidos" value=(thread.first.id);
                            span class="answered" dir="auto" { (thread.summary()) }
                        }
                    }
                }
            }
        }
    }
}
