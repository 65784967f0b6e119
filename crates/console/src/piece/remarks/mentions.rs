//! The threads that mention the viewer.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    draw::draw_linked_thread,
    model::{Read, group_threads},
};
use crate::{area::page_spec, bell, shell, view::View};

/// The path of the page.
pub(crate) const PATH: &str = "/mencoes";
/// The number of remarks on a page.
const SHOWN: u64 = 50;

/// The page with the threads.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Mentions {
    /// Com valor, mostra as resolvidas.
    resolvidas: Option<String>,
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_mentions", "Menções", PATH).fails(&[400, 403]);

pub(crate) const PAGE: Entry = Entry::for_page::<Mentions>(
    ROUTE,
    "As conversas que mencionam quem vê, abertas ou resolvidas.",
);

impl Page for Mentions {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let resolved = self.resolvidas.is_some_and(|text| !text.is_empty());
        let cursor = self.cursor.filter(|cursor| !cursor.is_empty());
        let state = if resolved { "resolvido" } else { "aberto" };
        let input =
            json!({ "mencionam_me": true, "estado": state, "limit": SHOWN, "cursor": cursor });
        let read: Read = view.read("list_remarks", input).await?;
        let threads = group_threads(read.comentarios);
        let of_resolved = format!("{PATH}?resolvidas=1");
        let more = match resolved {
            true => format!("{of_resolved}&"),
            false => format!("{PATH}?"),
        };
        let body = html! {
            p { a href=(view.href_to(bell::PATH)) { "Notificações" } }
            h1 { "Menções" }
            nav aria-label="Quais" class="choices" {
                a class="button quiet" href=(view.href_to(PATH)) aria-current=[(!resolved).then_some("true")] { "Em aberto" }
                a class="button quiet" href=(view.href_to(&of_resolved)) aria-current=[resolved.then_some("true")] { "Resolvidas" }
            }
            @if threads.is_empty() {
                p class="empty" {
                    @if resolved { "Nenhuma conversa resolvida menciona você." } @else { "Nenhuma conversa em aberto menciona você." }
                }
            }
            section class="remarks" aria-label="Conversas" {
                ol class="threads" { @for thread in &threads { (draw_linked_thread(&view, thread)) } }
            }
            (shell::next_page_link(&view, &more, read.next_cursor.as_deref()))
        };
        Ok(shell::reading_page(&view, "Menções", &body))
    }
}
