//! The agenda.

mod month;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[month::MONTH];
pub(crate) const PLACES: &[Place] = &[place("/", "Agenda", &[Capability::TasksView])];
