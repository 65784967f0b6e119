//! A collaborative project: its content, and the operations that change it.
//!
//! [`Project::apply`] is a pure reducer. Live operations and replays of the history both use it, so
//! a replay from the empty project gives exactly the stored project.
//!
//! The variants of `ProjectOperation` are the only definition of the fields of each operation type.
//! The `oneOf` in OpenAPI, which the gateway enforces, and the single payload type of the tool are
//! derived from them (`tools/src/projects/typed.rs`).
//!
//! A recorded operation contains the ids that it generated; the first recorded operation creates
//! the project. An operation is rejected first for invalid input (400), then for a missing item
//! (404), then for a conflict (409). Only a stale revision is reported before a missing item,
//! because what an item id refers to depends on the revision that the caller has read.

mod apply;
mod operation;
mod refusal;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use apply::Touched;
pub use operation::{Assignees, Notes, Position, ProjectOperation, Title};
pub use refusal::{PROJECT_ARCHIVED, PROJECT_LIMIT, Refusal, SECTION_NOT_EMPTY};

use super::{EventId, ItemId, MemberId, SectionId, text_enum, time::LocalDay};

/// Maximum number of sections in a project.
pub const MOST_SECTIONS: usize = 100;
/// Maximum number of items in a project, in all sections together.
pub const MOST_ITEMS: usize = 1_000;
/// Maximum number of members of a project.
pub const MOST_MEMBERS: usize = 200;
/// Maximum number of events linked to an item.
pub const MOST_EVENTS: usize = 50;

text_enum! {
    /// The state of a project. An archived project cannot change.
    pub enum ProjectStatus {
        Active = "ativo",
        Archived = "arquivado",
    }
}

text_enum! {
    /// The state of an item.
    pub enum ItemStatus {
        Open = "aberto",
        Done = "feito",
    }
}

/// A stored project. The default value is the empty project, with which every history starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    pub name: String,
    pub description: String,
    pub status: ProjectStatus,
    pub starts_on: Option<LocalDay>,
    pub ends_on: Option<LocalDay>,
    pub members: Vec<MemberId>,
    pub sections: Vec<Section>,
}

impl Project {
    /// Returns the ids of the events that are linked to items of the project. An event that is
    /// linked to several items is returned several times.
    pub fn linked_events(&self) -> impl Iterator<Item = &EventId> {
        let items = self.sections.iter().flat_map(|section| &section.items);
        items.flat_map(|item| &item.event_ids)
    }
}

impl Default for Project {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            status: ProjectStatus::Active,
            starts_on: None,
            ends_on: None,
            members: vec![],
            sections: vec![],
        }
    }
}

/// Uma seção, com seus itens em ordem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    #[schemars(length(min = 1, max = 64))]
    pub id: SectionId,
    pub title: String,
    pub items: Vec<Item>,
}

/// Um item de uma seção.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    #[schemars(length(min = 1, max = 64))]
    pub id: ItemId,
    pub title: String,
    /// Vazio quando não há.
    pub notes: String,
    pub status: ItemStatus,
    /// Responsáveis, em ordem.
    #[schemars(inner(length(min = 1, max = 64)))]
    pub assignee_member_ids: Vec<MemberId>,
    /// Prazo, uma data de Brasília.
    pub due_on: Option<LocalDay>,
    /// Eventos editoriais ligados ao item.
    #[schemars(inner(length(min = 1, max = 64)))]
    pub event_ids: Vec<EventId>,
}

/// The number of sections, items and members of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub sections: usize,
    pub items: usize,
    pub done: usize,
    pub members: usize,
}

impl Project {
    /// Counts the sections, the items, the done items and the members.
    #[must_use]
    pub fn count_contents(&self) -> Counts {
        let items = self.sections.iter().flat_map(|section| &section.items);
        Counts {
            sections: self.sections.len(),
            items: items.clone().count(),
            done: items.filter(|item| item.status == ItemStatus::Done).count(),
            members: self.members.len(),
        }
    }

    /// True if the member belongs to the project or is assigned to an open item.
    #[must_use]
    pub fn involves_member(&self, id: &MemberId) -> bool {
        let mut items = self.sections.iter().flat_map(|section| &section.items);
        let to_do =
            |item: &Item| item.status == ItemStatus::Open && item.assignee_member_ids.contains(id);
        self.members.contains(id) || items.any(to_do)
    }

    /// Returns the index of a section.
    #[must_use]
    pub fn section_index(&self, id: &SectionId) -> Option<usize> {
        self.sections.iter().position(|section| section.id == *id)
    }

    /// Returns the index of an item's section, and the index of the item in that section.
    #[must_use]
    pub fn item_indices(&self, id: &ItemId) -> Option<(usize, usize)> {
        let places = self.sections.iter().enumerate();
        places
            .map(|(at, section)| (at, section.items.iter().position(|item| item.id == *id)))
            .find_map(|(section, item)| Some((section, item?)))
    }
}
