//! The people and projects that the form of a new calendar offers.

use std::collections::BTreeSet;

use gateway::{Code, Result};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::{
    agenda::name_in_team,
    teammates::{Teammate, list_teammates},
    view::View,
};

/// The people and projects to choose from.
pub(super) struct Choices {
    pub people: Choice,
    pub projects: Choice,
}

/// The options of one select field.
pub(super) struct Choice {
    offered: Vec<Named>,
    /// Options that stored calendars or the form use, but that are no longer offered.
    further: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct Projects {
    projects: Vec<Named>,
}

#[derive(Deserialize)]
struct Project {
    project: Named,
}

impl Choices {
    /// Reads the team and the first page of the active projects. Also reads the names of the given
    /// people and projects that these lists do not contain.
    pub async fn read(
        view: &View<'_>,
        people: BTreeSet<&str>,
        projects: BTreeSet<&str>,
    ) -> Result<Self> {
        let team = list_teammates(view).await?.into_iter();
        let team = team.map(|Teammate { id, name }| Named { id, name });
        let active = json!({ "limit": 100, "status": "ativo" });
        let active: Projects = view.read("list_projects", active).await?;
        let mut choices = Self {
            people: Choice::new(team.collect()),
            projects: Choice::new(active.projects),
        };
        for id in choices.people.list_unknown_ids(people) {
            if let Some(name) = name_in_team(view, id).await? {
                choices.people.add_unoffered(id, name);
            }
        }
        for id in choices.projects.list_unknown_ids(projects) {
            if let Some(name) = project_name(view, id).await? {
                choices.projects.add_unoffered(id, name);
            }
        }
        Ok(choices)
    }
}

/// Reads the name of a project, active or not. `None` if the id is unknown.
async fn project_name(view: &View<'_>, id: &str) -> Result<Option<String>> {
    let input = json!({ "projectId": id, "limit": 1 });
    match view.read::<Project>("get_project", input).await {
        Ok(found) => Ok(Some(found.project.name)),
        // The id comes from the address of the page, so it may be invalid.
        Err(error) if [Code::NOT_FOUND, Code::INVALID_INPUT].contains(&error.code) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Choice {
    fn new(offered: Vec<Named>) -> Self {
        Self {
            offered,
            further: vec![],
        }
    }

    fn list_unknown_ids<'i>(&self, ids: BTreeSet<&'i str>) -> Vec<&'i str> {
        let unknown = ids.into_iter();
        let unknown = unknown.filter(|id| !id.is_empty() && self.find_name(id).is_none());
        unknown.collect()
    }

    fn add_unoffered(&mut self, id: &str, name: String) {
        self.further.push(Named {
            id: id.to_owned(),
            name,
        });
    }

    pub fn find_name(&self, id: &str) -> Option<&str> {
        let mut named = self.offered.iter().chain(&self.further);
        let found = named.find(|named| named.id == id);
        found.map(|named| named.name.as_str())
    }

    /// Draws a select field with the offered options. A chosen id that is not offered stays chosen.
    pub fn draw_field(&self, label: &str, name: &str, any: &str, chosen: &str) -> Markup {
        let is_offered = self.offered.iter().any(|one| one.id == chosen);
        html! {
            @if !self.offered.is_empty() || !chosen.is_empty() {
                label class="field" {
                    span { (label) }
                    select name=(name) {
                        option value="" { (any) }
                        @for one in &self.offered {
                            option value=(one.id) selected[one.id == chosen] { (one.name) }
                        }
                        @if !is_offered && !chosen.is_empty() {
                            option value=(chosen) selected { (self.find_name(chosen).unwrap_or("a escolha de antes")) }
                        }
                    }
                }
            }
        }
    }
}
