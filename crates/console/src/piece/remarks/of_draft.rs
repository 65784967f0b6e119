//! The open threads about an e-mail draft, for the page of the draft. Threads are written and answered
//! on the page of the piece.

use gateway::Result;
use maud::{Markup, html};
use serde_json::json;

use super::{
    draw::draw_linked_thread,
    model::{ROWS, Read, group_threads},
};
use crate::view::View;

/// Draws the section with the open threads about a draft.
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
                @for thread in &threads { (draw_linked_thread(view, thread)) }
            }
            @if read.next_cursor.is_some() { p class="soft" { "Há mais conversas do que cabem aqui." } }
        }
    })
}
