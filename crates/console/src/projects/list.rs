//! The list of projects.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{model::project_path, words};
use crate::{area::page_spec, forms::operation_form, shell, text, view::View};

/// The page with the list of projects.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct List {
    estado: Option<String>,
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_projects", "Projetos", "/projetos").fails(&[400, 403]);

pub(crate) const LIST: Entry = Entry::for_page::<List>(ROUTE, "Os projetos da equipe.");

#[derive(Deserialize)]
struct Projects {
    projects: Vec<Row>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    name: String,
    status: String,
    updated_at: String,
    counts: Counts,
}

#[derive(Deserialize)]
struct Counts {
    sections: i64,
    items: i64,
    open: i64,
    done: i64,
}

impl Page for List {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let state = match self.estado.as_deref() {
            Some("arquivado") => "arquivado",
            _ => "ativo",
        };
        let mut input = json!({ "status": state, "limit": 50 });
        if let Some(cursor) = self.cursor.filter(|cursor| !cursor.is_empty()) {
            input["cursor"] = cursor.into();
        }
        let answer: Projects = view.read("list_projects", input).await?;
        let body = html! {
            h1 { "Projetos" }
            nav class="tabs" aria-label="Estado" {
                @for (value, words) in [("ativo", "Ativos"), ("arquivado", "Arquivados")] {
                    a href=(view.href_to(&format!("/projetos?estado={value}")))
                        aria-current=[(value == state).then_some("page")] { (words) }
                }
            }
            @if answer.projects.is_empty() {
                p class="empty" {
                    @if state == "ativo" { "Nenhum projeto ativo." } @else { "Nenhum projeto arquivado." }
                }
            } @else {
                ul class="grid projects" data-list {
                    @for row in &answer.projects { (project_card(&view, row)) }
                }
            }
            @if let Some(next) = &answer.next_cursor {
                p { a class="button quiet" href=(view.href_to(&format!("/projetos?estado={state}&cursor={next}"))) { "Mais antigos" } }
            }
            @if state == "ativo" && view.may_call("create_project") { (creation_form(&view)) }
        };
        Ok(shell::console_page(&view, "Projetos", &body))
    }
}

fn project_card(view: &View<'_>, row: &Row) -> Markup {
    let counts = &row.counts;
    html! {
        li class="card" {
            h2 { a href=(view.href_to(&project_path(&row.id))) data-item dir="auto" { (row.name) } }
            @if row.status == "arquivado" { span class="badge" { "arquivado" } }
            @if counts.items > 0 {
                progress max=(counts.items) value=(counts.done) aria-label={ "Feito em " (row.name) } {}
            }
            p class="soft" {
                @if counts.items == 0 { "Sem itens ainda" }
                @else if counts.open == 0 { "Tudo feito: " (words::count_with_noun(counts.items, "item", "itens")) }
                @else {
                    (counts.done) " de " (words::count_with_noun(counts.items, "feito", "feitos")) ", em " (words::count_with_noun(counts.sections, "seção", "seções"))
                }
                br;
                "Mudou em " (text::format_iso_moment(&row.updated_at))
            }
        }
    }
}

fn creation_form(view: &View<'_>) -> Markup {
    let fields = html! {
        label class="field" {
            span { "Nome" }
            input name="name" required maxlength="200" data-key="n" aria-label="Nome do novo projeto";
        }
        label class="field" {
            span { "Do que se trata" }
            textarea name="description" rows="3" {}
        }
        button type="submit" { "Criar projeto" }
    };
    html! {
        section class="card project-part" id="novo" {
            h2 { "Novo projeto" }
            (operation_form(view, "create_project", "/projetos/{/project/id}", &html! { div class="stack" { (fields) } }))
        }
    }
}
