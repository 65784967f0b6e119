//! The page of one skill: text, versions, and the difference between two versions.

use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    skill_editor,
    skills::{Skill, find_skill},
};
use crate::{area::page_spec, diff, shell, text, view::View};

/// The page of a skill.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SkillPage {
    nome: String,
    /// A versão mostrada; ausente, a atual.
    versao: Option<i64>,
    /// A versão com que ela é comparada.
    de: Option<i64>,
    /// De onde o histórico continua.
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_skill", "Skill", "/skills/{nome}").fails(&[400, 403, 404]);

pub(crate) const SKILL: Entry =
    Entry::for_page::<SkillPage>(ROUTE, "Uma skill, suas versões e o que mudou entre elas.");

impl Page for SkillPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let skill_page = find_skill(&view, &self.nome, None, self.cursor.as_deref()).await?;
        let (current, next) = skill_page.ok_or_else(absent_skill_error)?;
        let shown = match self.versao.filter(|asked| *asked != current.version) {
            Some(version) => Some(read_version(&view, &self.nome, version).await?),
            None => None,
        };
        let base = match self.de {
            Some(version) => Some(read_version(&view, &self.nome, version).await?),
            None => None,
        };
        let path = format!("/skills/{}", current.name);
        let shown = shown.as_ref().unwrap_or(&current);
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/skills")) { "Skills" } }
            div class="spread" {
                h1 { (current.name) }
                @if view.may_call("publish_skill_version") {
                    a class="button" href=(view.href_to(&format!("{path}/editar"))) { "Editar" }
                }
            }
            p dir="auto" { (shown.description) }
            p class="soft" {
                "Versão " (shown.version) @if shown.version == current.version { " (a atual)" }
                ", " (text::time_tag(&shown.updated_at))
                @if let Some(name) = &shown.updated_by_name { ", por " (name) }
            }
            @match &base {
                Some(base) => (draw_comparison(base, shown)),
                None => pre class="document" dir="auto" tabindex="0" { (shown.content) },
            }
            @if shown.version != current.version { (old_version_actions(&view, shown, &current, base.is_some())) }
            (draw_versions(&view, &current, shown, next.as_deref()))
        };
        Ok(shell::reading_page(&view, &current.name, &body))
    }
}

fn absent_skill_error() -> Error {
    Error::not_found("skill")
}

async fn read_version(view: &View<'_>, name: &str, version: i64) -> Result<Skill> {
    let skill_page = find_skill(view, name, Some(version), None).await?;
    Ok(skill_page
        .ok_or_else(|| Error::not_found("versão da skill"))?
        .0)
}

/// Draws the difference between two versions.
fn draw_comparison(base: &Skill, shown: &Skill) -> Markup {
    html! {
        h2 { "Da versão " (base.version) " para a " (shown.version) }
        @if base.description != shown.description {
            h3 { "Descrição" }
            (diff::draw_word_diff(&base.description, &shown.description))
            h3 { "Texto" }
        }
        (diff::draw_hunks(&base.content, &shown.content))
    }
}

/// Draws the actions for a version that is not the current version.
fn old_version_actions(
    view: &View<'_>,
    shown: &Skill,
    current: &Skill,
    is_compared: bool,
) -> Markup {
    let path = format!("/skills/{}", current.name);
    html! {
        div class="row" {
            @if !is_compared {
                a class="button quiet" href=(view.href_to(&format!("{path}?de={}&versao={}", shown.version, current.version))) {
                    "O que mudou até a atual"
                }
            }
            @if view.may_call("publish_skill_version") {
                (skill_editor::restore_form(view, shown, current.version))
            }
        }
    }
}

fn draw_versions(view: &View<'_>, current: &Skill, shown: &Skill, next: Option<&str>) -> Markup {
    let path = format!("/skills/{}", current.name);
    html! {
        section aria-labelledby="versoes" {
            h2 id="versoes" { "Versões" }
            @if current.history.len() > 1 {
                form method="get" action=(view.href_to(&path)) class="row compare" {
                    label class="field" {
                        span { "Comparar" }
                        select name="de" {
                            @for (at, version) in current.history.iter().enumerate() {
                                option value=(version.version) selected[at == 1] { "versão " (version.version) }
                            }
                        }
                    }
                    label class="field" {
                        span { "com" }
                        select name="versao" {
                            @for version in &current.history {
                                option value=(version.version) { "versão " (version.version) }
                            }
                        }
                    }
                    button type="submit" class="quiet" { "Ver o que mudou" }
                }
            }
            div class="scroll" tabindex="0" role="group" aria-labelledby="versoes" {
                table {
                    thead { tr { th { "Versão" } th { "Quando" } th { "Quem" } } }
                    tbody {
                        @for version in &current.history {
                            tr {
                                td {
                                    a href=(view.href_to(&format!("{path}?versao={}", version.version)))
                                        aria-current=[(version.version == shown.version).then_some("true")] {
                                        "Versão " (version.version)
                                    }
                                    @if version.version == current.version { " " span class="badge good" { "atual" } }
                                }
                                td { (text::time_tag(&version.updated_at)) }
                                td { (version.updated_by_name.as_deref().unwrap_or("—")) }
                            }
                        }
                    }
                }
            }
            (shell::next_page_link(view, &format!("{path}?"), next))
        }
    }
}
