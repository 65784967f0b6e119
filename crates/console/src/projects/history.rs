//! The page with the history of a project.

use domain::Revision;
use futures::future::try_join;
use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    model::{Project, project_path},
    words,
};
use crate::{area::page_spec, shell, text, view::View};

/// The page with the history.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Shown {
    projeto: String,
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec(
    "console_project_history",
    "Histórico do projeto",
    "/projetos/{projeto}/historico",
)
.fails(&[400, 403, 404]);

pub(crate) const HISTORY: Entry =
    Entry::for_page::<Shown>(ROUTE, "O que mudou em um projeto, quando, e por quem.");

#[derive(Deserialize)]
pub(super) struct History {
    pub operations: Vec<Recorded>,
    next_cursor: Option<String>,
}

/// One operation of the history.
#[derive(Deserialize)]
pub(super) struct Recorded {
    pub revision: Revision,
    r#type: String,
    payload: Value,
    pub actor_name: Option<String>,
    pub occurred_at: String,
}

impl History {
    /// Reads a page of the history, newest first.
    pub(super) async fn read(
        view: &View<'_>,
        project: &str,
        cursor: Option<String>,
    ) -> Result<Self> {
        let mut input = json!({ "projectId": project, "limit": 50 });
        if let Some(cursor) = cursor {
            input["cursor"] = cursor.into();
        }
        view.read("list_project_operations", input).await
    }
}

impl Page for Shown {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let cursor = self.cursor.filter(|cursor| !cursor.is_empty());
        let (project, history) = try_join(
            Project::read(&view, &self.projeto),
            History::read(&view, &self.projeto, cursor),
        )
        .await?;
        let title = format!("Histórico de {}", project.name);
        let body = html! {
            p class="crumbs" {
                a href=(view.href_to("/projetos")) { "Projetos" } " › "
                a href=(view.href_to(&project_path(&project.id))) dir="auto" { (project.name) }
            }
            h1 { "Histórico" }
            table class="project-log stacked" {
                thead { tr { th { "Quando" } th { "Quem" } th { "O quê" } th class="number" { "Revisão" } } }
                tbody {
                    @for recorded in &history.operations {
                        tr {
                            td { (text::format_iso_moment(&recorded.occurred_at)) }
                            td { (recorded.actor_name.as_deref().unwrap_or("alguém que saiu")) }
                            td { (recorded.draw_sentence(&project)) }
                            td class="number" { (recorded.revision) }
                        }
                    }
                }
            }
            @if let Some(next) = &history.next_cursor {
                p { a class="button quiet" href=(view.href_to(&format!("{}/historico?cursor={next}", project_path(&project.id)))) { "Mais antigas" } }
            }
        };
        Ok(shell::console_page(&view, &title, &body))
    }
}

impl Recorded {
    fn draw_sentence(&self, project: &Project) -> Markup {
        html! {
            (draw_operation(&self.r#type, &self.payload, project))
            @if let Some(operations) = self.payload["operations"].as_array() {
                ul {
                    @for operation in operations {
                        li { (draw_operation(operation["type"].as_str().unwrap_or_default(), &operation["payload"], project)) }
                    }
                }
            }
        }
    }
}

fn draw_operation(kind: &str, payload: &Value, project: &Project) -> Markup {
    let new_title = payload["title"].as_str();
    let title = new_title.or_else(|| project.find_title(words::target_id(payload)?));
    html! {
        (words::operation_verb(kind))
        @if let Some(title) = title { " “" span dir="auto" { (title) } "”" }
    }
}
