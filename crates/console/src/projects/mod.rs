//! Projects: sections with items that several people edit at once.

mod change;
mod changed;
mod forms;
mod history;
mod item;
mod list;
mod model;
mod project;
mod words;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[
    list::LIST,
    project::PROJECT,
    item::ITEM,
    history::HISTORY,
    change::CHANGE,
];
pub(crate) const PLACES: &[Place] = &[place("/projetos", "Projetos", &[Capability::ProjectsView])
    .with_key("p")
    .with_areas(&["projects", "members"])];
