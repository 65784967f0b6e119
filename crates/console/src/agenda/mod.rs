//! The agenda: month, week, list, single day, and the events without a date.
//!
//! `card` and `grid` draw from plain data. They depend on neither the page nor the viewer.

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

pub(crate) use days::long as long_day;
pub(crate) use listed::listed;
pub(crate) use shown::query_of_bookmark;

pub(crate) const PAGES: &[Entry] = &[page::AGENDA, look::LOOK, demand::NEW];
/// The areas whose operations change events.
pub(crate) const EVENTS: &[&str] = &["workflow", "media", "video", "publishing", "members"];

pub(crate) const PLACES: &[Place] = &[place("/agenda", "Agenda", &[Capability::TasksView])
    .key("a")
    .also(&["/eventos"])
    .shows(EVENTS)];
