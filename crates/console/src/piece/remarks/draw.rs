//! Draws threads.

use maud::{Markup, html};

use super::{
    super::model::{Event, Piece, piece_path},
    answered::AnsweredPassages,
    forms,
    model::{Extent, Place, Remark, Remarks, Thread},
};
use crate::{linked::draw_linked, links::percent_encode, marked::draw_marked, text, view::View};
use search::Document;

/// Draws the section with the threads of a piece and the form of a new remark.
pub(crate) fn remarks_section(
    view: &View<'_>,
    piece: &Piece,
    remarks: &Remarks,
    extent: Extent,
) -> Markup {
    let event = &piece.event;
    let section = Section {
        view,
        event,
        remarks,
        answered: AnsweredPassages::compare(piece, &remarks.open),
        extent,
        may_write: view.may_call("add_remark"),
    };
    let shows_resolved = extent == Extent::Piece && !remarks.resolved.is_empty();
    html! {
        section class="remarks" aria-labelledby="comentarios" {
            h2 id="comentarios" { "Comentários" }
            @if remarks.open.is_empty() {
                p class="soft" {
                    // The inbox does not read resolved remarks, so it cannot tell whether the piece has
                    // remarks.
                    @if extent == Extent::Piece && remarks.resolved.is_empty() { "Ninguém comentou esta peça." }
                    @else { "Nenhum comentário em aberto." }
                }
            } @else {
                p class="soft" { (describe_open(remarks, extent)) }
                ol class="threads" { @for thread in &remarks.open { (section.draw_thread(thread)) } }
            }
            @if section.may_write { (forms::new_remark_form(view, event, remarks, extent)) }
            @if shows_resolved {
                details class="resolved" {
                    summary {
                        (remarks.resolved.len())
                        @if remarks.resolved.len() == 1 { " conversa resolvida" } @else { " conversas resolvidas" }
                    }
                    ol class="threads" { @for thread in &remarks.resolved { (section.draw_thread(thread)) } }
                }
            }
            @if remarks.is_cut { p class="soft" { "Há mais conversas do que cabem aqui." } }
        }
    }
}

/// Describes the number of open threads and, in the inbox, the number of open threads that the submitted
/// version answers.
fn describe_open(remarks: &Remarks, extent: Extent) -> String {
    let count = remarks.open.len();
    let open = match count {
        1 => "1 conversa em aberto".to_owned(),
        _ => format!("{count} conversas em aberto"),
    };
    let is_answered = |thread: &&Thread| thread.first.respondido_na_revisao.is_some();
    let answered = remarks.open.iter().filter(is_answered).count();
    match (extent, answered) {
        (Extent::Piece, 0) => format!("{open}."),
        (Extent::Inbox, 0) => format!("{open}. Esta versão não diz que atende alguma."),
        (_, 1) => format!("{open}. A versão enviada atende 1."),
        (_, answered) => format!("{open}. A versão enviada atende {answered}."),
    }
}

struct Section<'a> {
    view: &'a View<'a>,
    event: &'a Event,
    remarks: &'a Remarks,
    answered: AnsweredPassages<'a>,
    extent: Extent,
    may_write: bool,
}

impl Section<'_> {
    fn draw_thread(&self, thread: &Thread) -> Markup {
        let first = &thread.first;
        html! {
            li class="thread card" id={ "conversa-" (first.id) } {
                @if first.is_for_guests() { p { span class="badge info" { "Convidados veem" } } }
                @if let Some(place) = &first.ancora { (draw_place(self.view, self.event, place)) }
                (self.draw_remark(first))
                @if !thread.answers.is_empty() {
                    ol class="answers" { @for answer in &thread.answers { li { (self.draw_remark(answer)) } } }
                }
                (self.draw_state(first))
                (self.answered.draw(first))
                @if self.may_write { (forms::thread_forms(self.view, self.event, (first, self.remarks), self.extent)) }
            }
        }
    }

    fn draw_remark(&self, remark: &Remark) -> Markup {
        let is_own = !remark.convidado && remark.author_id == self.view.member().id.as_str();
        html! {
            article class="remark" aria-label={ "Comentário de " (remark.author_text()) } {
                (draw_head(remark))
                (draw_text(remark))
                @if !remark.mencoes.is_empty() {
                    p class="soft" dir="auto" {
                        "Para " (remark.mencoes.iter().map(|person| &*person.name).collect::<Vec<_>>().join(", ")) "."
                    }
                }
                @if let (true, true, Some(text)) = (is_own, self.may_write, &remark.texto) {
                    (forms::own_forms(self.view, self.event, remark, text, self.extent))
                }
            }
        }
    }

    /// Draws the state of a thread: answered by the version, or resolved by a person.
    fn draw_state(&self, first: &Remark) -> Markup {
        html! {
            @if let (Some(by), Some(at)) = (&first.resolved_by_name, &first.resolved_at) {
                p class="soft" { "Resolvida por " span dir="auto" { (by) } ", " (text::format_iso_moment(at)) "." }
            } @else if let Some(revision) = first.respondido_na_revisao {
                p { span class="badge good" { "Atendida na revisão " (revision) } }
            } @else if self.extent == Extent::Inbox {
                p { span class="badge wait" { "Ninguém respondeu" } }
            }
        }
    }
}

/// Draws the place of a thread: the passage, or the number and a small picture of the medium.
fn draw_place(view: &View<'_>, event: &Event, place: &Place) -> Markup {
    if place.template_id.is_some() {
        return draw_passage(view, place);
    }
    if let Some(passage) = &place.trecho {
        return html! {
            blockquote class="anchor" dir="auto" { (passage) }
            @if place.desatualizado { p class="soft" { "Este trecho não está mais na legenda." } }
        };
    }
    let number = event
        .media
        .iter()
        .position(|medium| Some(&medium.id) == place.media_id.as_ref());
    let Some(medium) = number.and_then(|number| event.media.get(number)) else {
        return html! { p class="anchor soft" { "Sobre uma mídia que saiu da peça." } };
    };
    let number = number.unwrap_or_default() + 1;
    html! {
        div class="anchor" {
            @match place.segundo {
                Some(second) => p { a href=(medium.url) { "Mídia " (number) ", aos " (text::format_second(second)) } },
                None => {
                    p { a href=(medium.url) { "Imagem " (number) } }
                    (draw_marked(&medium.url, place.mark()))
                }
            }
        }
    }
}

/// Draws a thread outside the page of its piece, with a link to the thread on that page.
pub(super) fn draw_linked_thread(view: &View<'_>, thread: &Thread) -> Markup {
    let first = &thread.first;
    let path = format!(
        "{}#conversa-{}",
        piece_path(&first.event_id),
        first.conversa
    );
    html! {
        li class="thread card" {
            @if let Some(place) = &first.ancora { (describe_place(view, place)) }
            @for remark in std::iter::once(first).chain(&thread.answers) {
                article class="remark" aria-label={ "Comentário de " (remark.author_text()) } {
                    (draw_head(remark))
                    (draw_text(remark))
                }
            }
            p { a href=(view.href_to(&path)) { "Responder em “" span dir="auto" { (first.event_title) } "”" } }
        }
    }
}

/// Describes the place of a thread in words, without the media of its piece.
fn describe_place(view: &View<'_>, place: &Place) -> Markup {
    html! {
        @match (&place.template_id, &place.trecho, place.segundo) {
            (Some(_), ..) => { (draw_passage(view, place)) }
            (None, Some(passage), _) => blockquote class="anchor" dir="auto" { (passage) },
            (None, None, Some(second)) => p class="anchor soft" { "Sobre um vídeo, aos " (text::format_second(second)) },
            (None, None, None) => p class="anchor soft" { "Sobre uma imagem" },
        }
    }
}

/// Draws the author and the time of a remark.
fn draw_head(remark: &Remark) -> Markup {
    html! {
        p class="remark-head" {
            strong dir="auto" { (remark.author_text()) } " "
            small class="soft" {
                (text::format_iso_moment(&remark.created_at))
                @if remark.edited_at.is_some() { ", editado" }
            }
        }
    }
}

fn draw_text(remark: &Remark) -> Markup {
    html! {
        @match &remark.texto {
            Some(text) => p class="written" dir="auto" { (draw_linked(text)) },
            None => p class="soft" { "Comentário removido." },
        }
    }
}

/// Draws a passage of an e-mail draft as readers see it, without HTML.
fn draw_passage(view: &View<'_>, place: &Place) -> Markup {
    let (Some(template), Some(passage)) = (&place.template_id, &place.trecho) else {
        return html! {};
    };
    let paragraphs = Document::from_html(passage).paragraphs.into_iter();
    let shown: Vec<String> = paragraphs.map(|one| one.text).collect();
    let path = format!("/emails/{}", percent_encode(template));
    html! {
        p class="soft" { "No e-mail " a href=(view.href_to(&path)) dir="auto" { (template) } }
        blockquote class="anchor" dir="auto" {
            @if shown.is_empty() { (passage) } @else { (shown.join(" ")) }
        }
        @if place.desatualizado { p class="soft" { "Este trecho não está mais no e-mail." } }
    }
}
