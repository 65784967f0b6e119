//! Reads projects for the pages.

use domain::Revision;
use gateway::Result;
use serde::Deserialize;
use serde_json::json;

use crate::{teammates::Teammate, view::View};

/// The operation that changes a project.
pub(super) const APPLY: &str = "apply_project_operation";

/// A project, with the fields that the pages need.
#[derive(Deserialize)]
pub(super) struct Project {
    pub id: String,
    pub name: String,
    pub description: String,
    pub status: String,
    pub starts_on: Option<String>,
    pub ends_on: Option<String>,
    pub members: Vec<Person>,
    pub sections: Vec<Section>,
    pub counts: Counts,
    pub revision: Revision,
}

#[derive(Deserialize)]
pub(super) struct Person {
    pub id: String,
    pub name: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Section {
    pub id: String,
    pub title: String,
    pub items: Vec<Item>,
}

#[derive(Deserialize)]
pub(super) struct Item {
    pub id: String,
    pub title: String,
    pub notes: String,
    pub status: String,
    pub assignee_member_ids: Vec<String>,
    pub due_on: Option<String>,
    pub event_ids: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Counts {
    pub items: i64,
    pub done: i64,
}

impl Project {
    pub(super) async fn read(view: &View<'_>, id: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Read {
            project: Project,
        }
        let read: Read = view.read("get_project", json!({ "projectId": id })).await?;
        Ok(read.project)
    }

    pub(super) fn is_archived(&self) -> bool {
        self.status == "arquivado"
    }

    pub(super) fn find_item(&self, id: &str) -> Option<(&Section, &Item)> {
        let mut items = self
            .sections
            .iter()
            .flat_map(|section| section.items.iter().map(move |item| (section, item)));
        items.find(|(_, item)| item.id == id)
    }

    /// Returns the title of a section or an item.
    pub(super) fn find_title(&self, id: &str) -> Option<&str> {
        let section = self.sections.iter().find(|section| section.id == id);
        let item = || self.find_item(id).map(|(_, item)| &*item.title);
        section.map(|section| &*section.title).or_else(item)
    }
}

impl Item {
    pub(super) fn is_done(&self) -> bool {
        self.status == "feito"
    }
}

/// Returns the name of a person.
pub(super) fn person_name<'n>(id: &str, team: &'n [Teammate], project: &'n Project) -> &'n str {
    let mate = team.iter().find(|mate| mate.id == id);
    let member = || project.members.iter().find(|person| person.id == id);
    mate.map(|mate| &*mate.name)
        .or_else(|| member().and_then(|person| person.name.as_deref()))
        .unwrap_or("alguém que saiu")
}

/// Returns the path of a project.
pub(super) fn project_path(id: &str) -> String {
    format!("/projetos/{id}")
}
