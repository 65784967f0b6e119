//! The page of an item, with its forms.

use domain::Capability;
use futures::future::try_join;
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    forms::Form,
    model::{Item, Project, Section, person_name, project_path},
    words,
};
use crate::{
    area::page_spec,
    shell,
    teammates::{Teammate, list_teammates},
    view::View,
};

/// The page of an item.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Shown {
    projeto: String,
    item: String,
}

const ROUTE: Spec = page_spec(
    "console_project_item",
    "Item do projeto",
    "/projetos/{projeto}/itens/{item}",
)
.fails(&[403, 404]);

pub(crate) const ITEM: Entry = Entry::for_page::<Shown>(
    ROUTE,
    "Um item de um projeto, com o que se pode fazer nele.",
);

impl Page for Shown {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let (project, team) =
            try_join(Project::read(&view, &self.projeto), list_teammates(&view)).await?;
        let position = project.find_item(&self.item);
        let (section, item) = position.ok_or_else(|| Error::not_found("item"))?;
        let may_edit = view.has_capability(Capability::ProjectsEdit) && !project.is_archived();
        let body = html! {
            p class="crumbs" {
                a href=(view.href_to("/projetos")) { "Projetos" } " › "
                a href=(view.href_to(&project_path(&project.id))) dir="auto" { (project.name) } " › "
                span dir="auto" { (section.title) }
            }
            h1 dir="auto" { (item.title) }
            p class="row" {
                @if item.is_done() { span class="badge good" { "feito" } } @else { span class="badge wait" { "a fazer" } }
                @if let Some(due) = &item.due_on { span class="badge" { "até " (words::day_text(due)) } }
            }
            @if !item.notes.is_empty() { p class="prose" dir="auto" { (item.notes) } }
            p class="soft" {
                @if item.assignee_member_ids.is_empty() { "Sem responsável." } @else { "Responsáveis: " }
                @for (at, id) in item.assignee_member_ids.iter().enumerate() {
                    @if at > 0 { ", " }
                    (person_name(id, &team, &project))
                }
            }
            @if !item.event_ids.is_empty() {
                h2 { "Peças" }
                ul {
                    @for (at, id) in item.event_ids.iter().enumerate() {
                        li { a href=(view.href_to(&format!("/eventos/{id}"))) { "Peça " (at + 1) } }
                    }
                }
            }
            @if may_edit { (item_forms(&view, &project, section, item, &team)) }
        };
        Ok(shell::console_page(&view, &item.title, &body))
    }
}

fn item_forms(
    view: &View<'_>,
    project: &Project,
    section: &Section,
    item: &Item,
    team: &[Teammate],
) -> Markup {
    let here = format!("{}/itens/{}", project_path(&project.id), item.id);
    let form = |kind| Form::new(view, project, kind).with_back(&here);
    let id = html! { input type="hidden" name="item_id" value=(item.id); };
    let tick = if item.is_done() {
        ("item.reopen", "Reabrir")
    } else {
        ("item.complete", "Dar por feito")
    };
    html! {
        div class="grid project-forms" {
            section class="card stack" {
                h2 { "Texto" }
                (form("item.update").draw(&html! {
                    (id)
                    div class="stack" {
                        label class="field" { span { "Título" } input name="title" value=(item.title) required dir="auto"; }
                        label class="field" { span { "Notas" } textarea name="notes!" rows="6" dir="auto" { (item.notes) } }
                        button type="submit" { "Salvar o texto" }
                    }
                }))
            }
            section class="card stack" {
                h2 { "Andamento" }
                (form(tick.0).draw(&html! { (id) button type="submit" data-key="x" { (tick.1) } }))
                (form("item.schedule").draw(&html! {
                    (id)
                    label class="field" { span { "Prazo (vazio tira)" } input type="date" name="due_on" value=[item.due_on.as_deref()]; }
                    button type="submit" class="quiet" { "Mudar o prazo" }
                }))
                (form("item.move").draw(&html! {
                    (id)
                    label class="field" {
                        span { "Seção" }
                        select name="section_id" {
                            @for other in &project.sections {
                                option value=(other.id) selected[other.id == section.id] { (other.title) }
                            }
                        }
                    }
                    label class="field" {
                        span { "Lugar (vazio: no fim)" }
                        input type="number" name="position" min="1" inputmode="numeric";
                    }
                    button type="submit" class="quiet" { "Mover" }
                }))
            }
            @if !team.is_empty() {
                section class="card stack" {
                    h2 { "Responsáveis" }
                    (form("item.assign").draw(&html! {
                        (id)
                        fieldset {
                            legend class="sr" { "Responsáveis" }
                            @for mate in team {
                                label class="choice" {
                                    input type="checkbox" name="assignee_member_ids" value=(mate.id)
                                        checked[item.assignee_member_ids.contains(&mate.id)];
                                    (mate.name)
                                }
                            }
                        }
                        button type="submit" class="quiet" { "Mudar os responsáveis" }
                    }))
                }
            }
            section class="card stack" {
                h2 { "Remover" }
                details {
                    summary { "Remover este item" }
                    (Form::new(view, project, "item.remove").draw(&html! {
                        (id)
                        p { "O item sai do projeto; o histórico guarda o que ele era." }
                        button type="submit" class="danger" { "Remover" }
                    }))
                }
            }
        }
    }
}
