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
pub(crate) const PLACES: &[Place] = &[place("/", "Agenda", &[Capability::TasksView])];
