use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{area::page, shell, text, view::View};

/// The agenda.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Month {}

const ROUTE: Spec = page("console_agenda", "Agenda", "/");

pub(crate) const MONTH: Entry = Entry::page::<Month>(ROUTE, "A agenda editorial.");

#[derive(Deserialize)]
struct Events {
    eventos: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    title: String,
    status: String,
    due_at: Option<String>,
}

impl Page for Month {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let events: Events = view.read("list_events", json!({})).await?;
        let when = |event: &Event| {
            let due = event.due_at.as_deref();
            due.map_or_else(|| "sem data".into(), text::moment_of)
        };
        let body = html! {
            h1 { "Agenda" }
            table {
                thead { tr { th { "Quando" } th { "O quê" } th { "Estado" } } }
                tbody {
                    @for event in &events.eventos {
                        tr {
                            td { (when(event)) }
                            td { (event.title) }
                            td { (event.status) }
                        }
                    }
                }
            }
        };
        Ok(shell::page(&view, "Agenda", &body))
    }
}
