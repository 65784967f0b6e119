//! The open threads about an e-mail draft, for its page. They are written and answered on the page of
//! their piece.

use gateway::Result;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::{
    draw::draw_passage,
    model::{ROWS, Remark, group_threads},
};
use crate::{piece::model::piece_path, text, view::View};

#[derive(Deserialize)]
struct Read {
    comentarios: Vec<Remark>,
    next_cursor: Option<String>,
}

/// The section with the open threads about a draft.
pub(crate) async fn draft_remarks_section(view: &View<'_>, template_id: &str) -> Result<Markup> {
    let input = json!({ "template_id": template_id, "limit": ROWS });
    let read: Read = view.read("list_remarks", input).await?;
    let threads = group_threads(read.comentarios);
    Ok(html! {
        section class="remarks" aria-labelledby="comentarios" {
            h2 id="comentarios" { "Comentários" }
            p class="soft" {
                @if threads.is_empty() { "Nenhum comentário em aberto. " }
                "Comenta-se um trecho na página da peça do e-mail."
            }
            ol class="threads" {
                @for thread in &threads {
                    @let first = &thread.first;
                    @let path = format!("{}#conversa-{}", piece_path(&first.event_id), first.id);
                    li class="thread card" {
                        @if let Some(place) = &first.ancora { (draw_passage(view, place)) }
                        @for remark in std::iter::once(first).chain(&thread.answers) {
                            article class="remark" aria-label={ "Comentário de " (remark.author_text()) } {
                                p class="remark-head" {
                                    strong dir="auto" { (remark.author_text()) } " "
                                    small class="soft" { (text::format_iso_moment(&remark.created_at)) }
                                }
                                p class="written" dir="auto" { (remark.texto.as_deref().unwrap_or("Comentário removido.")) }
                            }
                        }
                        p { a href=(view.href_to(&path)) { "Responder em “" span dir="auto" { (first.event_title) } "”" } }
                    }
                }
            }
            @if read.next_cursor.is_some() { p class="soft" { "Há mais conversas do que cabem aqui." } }
        }
    })
}
