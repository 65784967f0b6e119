//! The agenda: month, week, list, one day, and what has no date.
//!
//! `card` and `grid` draw from plain data and know neither the page nor the viewer.

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
mod planning;
mod shown;
mod week;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) use listed::listed;

pub(crate) const PAGES: &[Entry] = &[page::AGENDA, look::LOOK, demand::NEW];
/// The areas that change events: their own, and what makes media for them and publishes them.
pub(crate) const EVENTS: &[&str] = &["workflow", "media", "video", "publishing", "members"];

pub(crate) const PLACES: &[Place] = &[place("/", "Agenda", &[Capability::TasksView])
    .key("a")
    .also(&["/agenda", "/eventos"])
    .shows(EVENTS)];
