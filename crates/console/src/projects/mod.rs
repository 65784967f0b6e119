//! Projects: sections with items, which several people change at once.

mod change;
mod changed;
mod history;
mod item;
mod list;
mod project;
mod words;

use domain::Capability;
use gateway::{Entry, Result};
use serde::Deserialize;
use serde_json::json;

use crate::{
    places::{Place, place},
    view::View,
};

pub(crate) const PAGES: &[Entry] = &[
    list::LIST,
    project::PROJECT,
    item::ITEM,
    history::HISTORY,
    change::CHANGE,
];
pub(crate) const PLACES: &[Place] = &[place("/projetos", "Projetos", &[Capability::ProjectsView])];

/// The operation that changes a project.
const APPLY: &str = "apply_project_operation";

/// A project, as its pages show it.
#[derive(Deserialize)]
struct Project {
    id: String,
    name: String,
    description: String,
    status: String,
    starts_on: Option<String>,
    ends_on: Option<String>,
    members: Vec<Person>,
    sections: Vec<Section>,
    counts: Counts,
    revision: i64,
}

#[derive(Deserialize)]
struct Person {
    id: String,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Section {
    id: String,
    title: String,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    id: String,
    title: String,
    notes: String,
    status: String,
    assignee_member_ids: Vec<String>,
    due_on: Option<String>,
    event_ids: Vec<String>,
}

#[derive(Deserialize)]
struct Counts {
    items: i64,
    done: i64,
}

impl Project {
    async fn read(view: &View<'_>, id: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Read {
            project: Project,
        }
        let read: Read = view.read("get_project", json!({ "projectId": id })).await?;
        Ok(read.project)
    }

    fn is_archived(&self) -> bool {
        self.status == "arquivado"
    }

    fn item(&self, id: &str) -> Option<(&Section, &Item)> {
        let mut items = self
            .sections
            .iter()
            .flat_map(|section| section.items.iter().map(move |item| (section, item)));
        items.find(|(_, item)| item.id == id)
    }

    /// The title of a section or an item.
    fn title_of(&self, id: &str) -> Option<&str> {
        let section = self.sections.iter().find(|section| section.id == id);
        let item = || self.item(id).map(|(_, item)| &*item.title);
        section.map(|section| &*section.title).or_else(item)
    }
}

impl Item {
    fn is_done(&self) -> bool {
        self.status == "feito"
    }
}

/// Someone who can be given work.
#[derive(Deserialize)]
struct Mate {
    id: String,
    name: String,
}

/// The active people of the team; none to who may not list them.
async fn team(view: &View<'_>) -> Result<Vec<Mate>> {
    #[derive(Deserialize)]
    struct Team {
        equipe: Vec<Mate>,
    }
    if !view.may_call("list_team") {
        return Ok(vec![]);
    }
    let team: Team = view.read("list_team", json!({ "limit": 200 })).await?;
    Ok(team.equipe)
}

/// The name of a person.
fn name<'n>(id: &str, team: &'n [Mate], project: &'n Project) -> &'n str {
    let mate = team.iter().find(|mate| mate.id == id);
    let member = || project.members.iter().find(|person| person.id == id);
    mate.map(|mate| &*mate.name)
        .or_else(|| member().and_then(|person| person.name.as_deref()))
        .unwrap_or("alguém que saiu")
}

/// The path of a project.
fn path(id: &str) -> String {
    format!("/projetos/{id}")
}
