use gateway::Result;
use maud::html;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    piece::{model::Event, words},
    text,
};

#[derive(Deserialize)]
struct Events {
    eventos: Vec<Event>,
    next_cursor: Option<String>,
}

/// The agenda, from the answer of `list_events`.
pub(super) fn draw(answer: Value) -> Result<String> {
    let events: Events = serde_json::from_value(answer)?;
    let list = html! {
        h1 { "Agenda" }
        @if events.eventos.is_empty() {
            p class="empty" { "Nada na agenda com estes filtros." }
        } @else {
            div class="scroll" {
                table {
                    thead { tr { th { "Quando" } th { "Peça" } th { "Canal" } th { "Estado" } } }
                    tbody {
                        @for event in &events.eventos {
                            tr {
                                td { (event.due_at.as_deref().map_or_else(|| "sem data".into(), text::moment_of)) }
                                td dir="auto" { (event.title) }
                                td { (words::channel_name(&event.channel)) }
                                td { (words::badge(event.status)) }
                            }
                        }
                    }
                }
            }
            @if events.next_cursor.is_some() { p class="soft" { "Há mais peças que estas." } }
        }
    };
    Ok(list.into_string())
}
