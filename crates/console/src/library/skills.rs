//! The list of skills.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{area::page_spec, shell, text, view::View};

/// The page with the list of skills.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SkillList {
    /// De onde a lista continua.
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_skills", "Skills", "/skills").fails(&[403]);

pub(crate) const SKILLS: Entry =
    Entry::for_page::<SkillList>(ROUTE, "As skills publicadas da equipe.");

/// The part of the answer of `list_skills` that the pages read.
#[derive(Deserialize)]
pub(super) struct Skills {
    pub skills: Vec<Skill>,
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Skill {
    pub name: String,
    pub version: i64,
    pub description: String,
    #[serde(default)]
    pub content: String,
    pub updated_at: String,
    pub updated_by_name: Option<String>,
    #[serde(default)]
    pub history: Vec<Version>,
}

#[derive(Deserialize)]
pub(super) struct Version {
    pub version: i64,
    pub updated_at: String,
    pub updated_by_name: Option<String>,
}

/// Reads a skill, or one of its versions, with the page of the skill's history at `cursor`.
pub(super) async fn find_skill(
    view: &View<'_>,
    name: &str,
    version: Option<i64>,
    cursor: Option<&str>,
) -> Result<Option<(Skill, Option<String>)>> {
    let input = json!({ "name": name, "version": version, "cursor": cursor, "limit": 50 });
    let answer: Skills = view.read("list_skills", input).await?;
    let next = answer.next_cursor;
    Ok(answer.skills.into_iter().next().map(|skill| (skill, next)))
}

impl Page for SkillList {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = json!({ "conteudo": false, "cursor": self.cursor });
        let answer: Skills = view.read("list_skills", input).await?;
        let body = html! {
            div class="spread" {
                h1 { "Skills" }
                @if view.may_call("publish_skill_version") {
                    a class="button" href=(view.href_to("/nova-skill")) { "Nova skill" }
                }
            }
            p class="soft" { "O que os agentes da equipe sabem fazer, e como. Cada versão publicada vale no ato para todos eles." }
            @if answer.skills.is_empty() {
                p class="empty" { "Nenhuma skill publicada ainda." }
            }
            ul class="plain-list" data-list {
                @for skill in &answer.skills {
                    li class="card" {
                        h2 {
                            a href=(view.href_to(&format!("/skills/{}", skill.name))) data-item { (skill.name) }
                        }
                        p dir="auto" { (skill.description) }
                        p class="soft" {
                            "Versão " (skill.version) ", " (text::time_tag(&skill.updated_at))
                            @if let Some(name) = &skill.updated_by_name { ", por " (name) }
                        }
                    }
                }
            }
            (shell::next_page_link(&view, "/skills?", answer.next_cursor.as_deref()))
        };
        Ok(shell::reading_page(&view, "Skills", &body))
    }
}
