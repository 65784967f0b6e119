//! The page of a project, with its sections and items.

use domain::Capability;
use futures::future::try_join;
use gateway::{Context, Entry, Page, Reply, Result, Spec};
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

/// The page of a project.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Shown {
    projeto: String,
}

const ROUTE: Spec =
    page_spec("console_project", "Projeto", "/projetos/{projeto}").fails(&[403, 404]);

pub(crate) const PROJECT: Entry =
    Entry::for_page::<Shown>(ROUTE, "Um projeto, com seções e itens em ordem.");

/// The rights of the viewer in this project.
#[derive(Clone, Copy)]
struct Rights {
    edit: bool,
    manage: bool,
}

impl Page for Shown {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let (project, team) =
            try_join(Project::read(&view, &self.projeto), list_teammates(&view)).await?;
        let used = !project.is_archived();
        let rights = Rights {
            edit: used && view.has_capability(Capability::ProjectsEdit),
            manage: view.has_capability(Capability::ProjectsManage),
        };
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/projetos")) { "Projetos" } }
            (draw_heading(&view, &project))
            @if rights.edit { (shared_form(&view, &project)) }
            div class="sections" data-sort="section.move" {
                @for section in &project.sections { (self::draw_section(&view, &project, section, &team, rights)) }
            }
            @if project.sections.is_empty() { p class="empty" { "Nenhuma seção ainda." } }
            @if rights.edit {
                section class="card project-part" {
                    h2 { "Nova seção" }
                    (Form::new(&view, &project, "section.add").draw(&html! {
                        label class="field" { span { "Título" } input name="title" required data-key="s" aria-label="Título da nova seção"; }
                        button type="submit" class="quiet" { "Acrescentar seção" }
                    }))
                }
            }
            @if rights.manage { (management_forms(&view, &project, &team)) }
        };
        Ok(shell::console_page(&view, &project.name, &body))
    }
}

fn draw_heading(view: &View<'_>, project: &Project) -> Markup {
    let counts = &project.counts;
    let day = |day: &Option<String>| day.as_deref().map_or_else(|| "?".into(), words::day_text);
    html! {
        div class="spread" {
            h1 dir="auto" { (project.name) }
            @if view.may_call("list_project_operations") {
                a href=(view.href_to(&format!("{}/historico", project_path(&project.id)))) { "Histórico" }
            }
        }
        p class="row" {
            @if project.is_archived() { span class="badge wait" { "arquivado: não muda" } }
            @if counts.items > 0 {
                progress max=(counts.items) value=(counts.done) aria-label="Feito" {}
                span class="soft" { (counts.done) " de " (words::count_with_noun(counts.items, "feito", "feitos")) }
            }
            @if project.starts_on.is_some() || project.ends_on.is_some() {
                span class="soft" { "de " (day(&project.starts_on)) " a " (day(&project.ends_on)) }
            }
        }
        @if !project.description.is_empty() { p class="prose" dir="auto" { (project.description) } }
        @if !project.members.is_empty() {
            p class="soft" {
                "Participam: "
                @for (at, person) in project.members.iter().enumerate() {
                    @if at > 0 { ", " }
                    (person.name.as_deref().unwrap_or("alguém que saiu"))
                }
            }
        }
    }
}

/// Draws the form to which all item buttons belong. A script also sends this form after a drag.
fn shared_form(view: &View<'_>, project: &Project) -> Markup {
    Form::for_buttons(view, project)
        .with_id("mudar")
        .draw(&html! {
            input type="hidden" name="mover" disabled;
        })
}

fn draw_section(
    view: &View<'_>,
    project: &Project,
    section: &Section,
    team: &[Teammate],
    rights: Rights,
) -> Markup {
    let open = section.items.iter().filter(|item| !item.is_done()).count();
    html! {
        section class="card" id={ "secao-" (section.id) } data-id=(section.id)
            draggable=[rights.edit.then_some("true")] tabindex=[rights.edit.then_some("0")]
            aria-label=(section.title) {
            div class="spread" {
                h2 dir="auto" { (section.title) }
                span class="soft" { (open) " a fazer" }
            }
            ol class="items" data-list data-sort="item.move" data-into=(section.id) {
                @for item in &section.items { (draw_item_row(view, project, item, team, rights)) }
            }
            @if section.items.is_empty() { p class="soft" { "Nenhum item." } }
            @if rights.edit { (section_forms(view, project, section)) }
        }
    }
}

fn draw_item_row(
    view: &View<'_>,
    project: &Project,
    item: &Item,
    team: &[Teammate],
    rights: Rights,
) -> Markup {
    let (kind, words, mark) = if item.is_done() {
        ("item.reopen", "Reabrir", "✓")
    } else {
        ("item.complete", "Dar por feito", "")
    };
    html! {
        li id={ "item-" (item.id) } data-id=(item.id) class=[item.is_done().then_some("done")]
            draggable=[rights.edit.then_some("true")] data-item tabindex="0" {
            @if rights.edit {
                button form="mudar" name="mudar" value={ (kind) ":" (item.id) } class="tick" data-key="x" data-key-label="Dar por feito ou reabrir"
                    aria-label={ (words) ": " (item.title) } { (mark) }
            } @else {
                span class="tick" aria-hidden="true" { (mark) }
                @if item.is_done() { span class="sr" { "feito: " } }
            }
            div {
                a href=(view.href_to(&format!("{}/itens/{}", project_path(&project.id), item.id))) data-key="Enter" data-key-label="Abrir o item" dir="auto" { (item.title) }
                @if let Some(due) = &item.due_on {
                    " "
                    @if !item.is_done() && due.as_str() < words::today_iso(view.ctx.now).as_str() {
                        span class="badge bad" { "venceu em " (words::day_text(due)) }
                    } @else {
                        span class="badge" { "até " (words::day_text(due)) }
                    }
                }
                @if !item.event_ids.is_empty() {
                    " " span class="badge info" { (item.event_ids.len()) @if item.event_ids.len() == 1 { " peça" } @else { " peças" } }
                }
                @if !item.assignee_member_ids.is_empty() {
                    br;
                    small {
                        @for (at, id) in item.assignee_member_ids.iter().enumerate() {
                            @if at > 0 { ", " }
                            (person_name(id, team, project))
                        }
                    }
                }
            }
        }
    }
}

/// Draws the forms of a section.
fn section_forms(view: &View<'_>, project: &Project, section: &Section) -> Markup {
    let title = &section.title;
    let place = project
        .sections
        .iter()
        .position(|other| other.id == section.id)
        .unwrap_or(0);
    let id = html! { input type="hidden" name="section_id" value=(section.id); };
    html! {
        (Form::new(view, project, "item.add").draw(&html! {
            (id)
            div class="adding" {
                input name="title" required placeholder="Novo item" aria-label={ "Novo item em " (title) };
                input type="date" name="due_on" aria-label={ "Prazo do novo item em " (title) };
                button type="submit" class="quiet" { "Acrescentar" }
            }
        }))
        details {
            summary { "Mudar esta seção" }
            div class="stack" {
                (Form::new(view, project, "section.rename").draw(&html! {
                    (id)
                    label class="field" { span { "Título" } input name="title" value=(title) required dir="auto"; }
                    button type="submit" class="quiet" { "Mudar o título" }
                }))
                @if project.sections.len() > 1 {
                    (Form::new(view, project, "section.move").draw(&html! {
                        (id)
                        label class="field" {
                            span { "Lugar no projeto" }
                            select name="position" {
                                @for at in 0..project.sections.len() {
                                    option value=(at) selected[at == place] { (at + 1) "º" }
                                }
                            }
                        }
                        button type="submit" class="quiet" { "Mover" }
                    }))
                }
                @if section.items.is_empty() {
                    (Form::new(view, project, "section.remove").draw(&html! {
                        (id)
                        button type="submit" class="danger" { "Remover a seção" }
                    }))
                } @else {
                    p class="soft" { "Para remover a seção, mova ou remova os itens antes." }
                }
            }
        }
    }
}

/// Draws the forms of the project itself: name, dates, members and archiving.
fn management_forms(view: &View<'_>, project: &Project, team: &[Teammate]) -> Markup {
    let form = |kind| Form::new(view, project, kind);
    let others = team
        .iter()
        .filter(|mate| project.members.iter().all(|member| member.id != mate.id));
    html! {
        details class="card project-part" {
            summary { "Mudar o projeto" }
            div class="stack" {
                @if project.is_archived() {
                    (form("project.restore").draw(&html! { button type="submit" { "Restaurar o projeto" } }))
                } @else {
                    (form("project.rename").draw(&html! {
                        label class="field" { span { "Nome" } input name="title" value=(project.name) required dir="auto"; }
                        button type="submit" class="quiet" { "Mudar o nome" }
                    }))
                    (form("project.describe").draw(&html! {
                        label class="field" { span { "Do que se trata" } textarea name="notes!" rows="4" dir="auto" { (project.description) } }
                        button type="submit" class="quiet" { "Mudar a descrição" }
                    }))
                    (form("project.schedule").draw(&html! {
                        div class="row" {
                            label class="field" { span { "Começa" } input type="date" name="starts_on" value=[project.starts_on.as_deref()]; }
                            label class="field" { span { "Termina" } input type="date" name="ends_on" value=[project.ends_on.as_deref()]; }
                        }
                        button type="submit" class="quiet" { "Mudar as datas" }
                    }))
                    (form("member.add").draw(&html! {
                        label class="field" {
                            span { "Acrescentar pessoa" }
                            select name="member_id" required {
                                option value="" { "Escolha" }
                                @for mate in others { option value=(mate.id) { (mate.name) } }
                            }
                        }
                        button type="submit" class="quiet" { "Acrescentar" }
                    }))
                    @for person in &project.members {
                        (form("member.remove").draw(&html! {
                            input type="hidden" name="member_id" value=(person.id);
                            button type="submit" class="plain" { "Tirar " (person.name.as_deref().unwrap_or("alguém que saiu")) }
                        }))
                    }
                    (form("project.archive").draw(&html! { button type="submit" class="danger" { "Arquivar o projeto" } }))
                }
            }
        }
    }
}
