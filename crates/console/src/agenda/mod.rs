//! The agenda: month, week, list, single day, and the events without a date.
//!
//! `card` and `grid` draw from plain data, independently of the page and the viewer.

mod card;
mod chips;
mod commemorative;
mod days;
mod demand;
mod events;
mod grid;
mod listed;
mod look;
mod page;
mod person;
mod planning;
mod shown;
mod week;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) use days::long_day_text as long_day;
pub(crate) use listed::draw_agenda_list;
pub(crate) use person::name_in_team;
pub(crate) use shown::bookmark_query;

pub(crate) const PAGES: &[Entry] = &[page::AGENDA, look::LOOK, demand::NEW];
/// The areas whose operations change events.
pub(crate) const EVENTS: &[&str] = &[
    "workflow",
    "conversation",
    "media",
    "video",
    "publishing",
    "members",
];

pub(crate) const PLACES: &[Place] = &[place("/agenda", "Agenda", &[Capability::TasksView])
    .with_key("a")
    .with_paths(&["/eventos"])
    .with_areas(EVENTS)];
