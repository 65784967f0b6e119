//! Draws the remarks of a piece and the forms that write remarks.

use domain::{EventStatus, GuestRight};
use maud::{Markup, html};

use super::{
    model::{Medium, Piece, Remark},
    sheet::{Sheet, piece_fields},
};
use crate::{linked::draw_linked, marked::draw_marked, text};

/// Draws the form of a new remark or, if `thread` is set, of an answer in this thread.
pub(super) fn draw_remark_form(sheet: &Sheet, piece: &Piece, thread: Option<&str>) -> Markup {
    html! {
        form method="post" action=(sheet.path) class="form stack" {
            (piece_fields(piece))
            @if let Some(thread) = thread { input type="hidden" name="responde_a" value=(thread); }
            label class="field" {
                span { @if thread.is_some() { "Sua resposta" } @else { "Seu comentário" } }
                textarea name="texto" rows="3" required maxlength="4000" dir="auto" {}
            }
            @if thread.is_none() && piece.legenda.is_some() {
                label class="field" {
                    span { "O trecho da legenda de que você fala, copiado dela (opcional)" }
                    textarea name="trecho" rows="2" maxlength="1000" dir="auto" autocomplete="off" {}
                }
            }
            button type="submit" class="quiet" name="acao" value="comentar" { "Enviar comentário" }
        }
    }
}

/// Draws the form of a remark on a second of a video.
pub(super) fn draw_second_form(sheet: &Sheet, piece: &Piece, medium: &Medium) -> Markup {
    html! {
        form method="post" action=(sheet.path) class="form stack" {
            (piece_fields(piece))
            input type="hidden" name="video_id" value=(medium.id);
            label class="field" {
                span { "O segundo do vídeo" }
                input type="number" name="segundo" min="0" max="86400" step="any" inputmode="decimal" required;
            }
            label class="field" {
                span { "Seu comentário" }
                textarea name="texto" rows="3" required maxlength="4000" dir="auto" {}
            }
            button type="submit" class="quiet" name="acao" value="comentar" { "Enviar comentário" }
        }
    }
}

/// Draws the forms that edit or remove a remark of this guest.
fn draw_own_forms(sheet: &Sheet, piece: &Piece, remark: &Remark, text: &str) -> Markup {
    let fields = html! {
        (piece_fields(piece))
        input type="hidden" name="comentario" value=(remark.id);
    };
    html! {
        div class="own-tools" {
            details {
                summary { "Editar" }
                form method="post" action=(sheet.path) class="form stack" {
                    (fields)
                    textarea name="texto" rows="3" required maxlength="4000" dir="auto" aria-label="Texto" { "\n" (text) }
                    button type="submit" class="quiet" name="acao" value="editar" { "Salvar" }
                }
            }
            details {
                summary { "Remover" }
                form method="post" action=(sheet.path) class="form stack" {
                    (fields)
                    p { "O texto some de vez; as respostas ficam." }
                    button type="submit" class="danger" name="acao" value="remover" { "Remover o comentário" }
                }
            }
        }
    }
}

/// Draws the section with the threads of a piece.
pub(super) fn draw_remarks(sheet: &Sheet, piece: &Piece, right: GuestRight) -> Markup {
    let is_first = |remark: &&Remark| remark.id == remark.conversa;
    let may_answer = right >= GuestRight::Remark && piece.status != EventStatus::Refused;
    html! {
        section class="remarks" aria-label={ "Comentários de " (piece.titulo) } {
            h3 { "Comentários" }
            @if piece.ha_comentarios_antigos { p class="soft" { "Há comentários mais antigos do que cabem aqui." } }
            ol class="threads" {
                @for first in piece.comentarios.iter().filter(is_first) {
                    li class="thread card" {
                        (draw_place(sheet, piece, first))
                        @for remark in piece.comentarios.iter().filter(|remark| remark.conversa == first.id) {
                            div class="remark" {
                                p class="remark-head" {
                                    strong dir="auto" { (remark.autor) } " "
                                    small class="soft" {
                                        (text::format_iso_moment(&remark.created_at))
                                        @if remark.edited_at.is_some() { ", editado" }
                                    }
                                }
                                @match &remark.texto {
                                    Some(text) => p class="written" dir="auto" { (draw_linked(text)) },
                                    None => p class="soft" { "Comentário removido." },
                                }
                                @if let (true, true, Some(text)) = (remark.seu, right >= GuestRight::Remark, &remark.texto) {
                                    (draw_own_forms(sheet, piece, remark, text))
                                }
                            }
                        }
                        @if first.resolvido == Some(true) { p { span class="badge good" { "Resolvido" } } }
                        @else if may_answer {
                            details { summary { "Responder" } (draw_remark_form(sheet, piece, Some(&first.id))) }
                        }
                    }
                }
            }
        }
    }
}

/// Draws the place of a thread: the passage, or the number and a small picture of the medium.
fn draw_place(sheet: &Sheet, piece: &Piece, remark: &Remark) -> Markup {
    let Some(place) = &remark.ancora else {
        return html! {};
    };
    let medium = place.media_id.as_deref();
    let number = piece.midias.iter().position(|one| Some(&*one.id) == medium);
    let shown = number.and_then(|number| Some((number + 1, piece.midias.get(number)?)));
    html! {
        div class="anchor" {
            @if let Some(passage) = &place.trecho { blockquote class="anchor" dir="auto" { (passage) } }
            @match (medium, shown) {
                (None, _) => { @if place.desatualizado { p class="soft" { "Sobre um trecho que não está mais na legenda." } } }
                (Some(_), None) => p class="soft" { "Sobre uma mídia que saiu da peça." },
                (Some(_), Some((number, medium))) => {
                    @match place.segundo {
                        Some(second) => p class="soft" { "No vídeo da mídia " (number) ", aos " (text::format_second(second)) },
                        None => {
                            p class="soft" { "Na mídia " (number) }
                            (draw_marked(&sheet.medium_path(&medium.id), place.mark()))
                        }
                    }
                }
            }
        }
    }
}
