//! The page that a team opens every morning: the work that waits for the viewer, the pieces that will be
//! published, and the changes that agents made.

mod activity;
mod model;
mod page;
mod steps;

use gateway::Entry;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[page::TODAY];

/// The areas whose changes the page shows: events, agents, and the first steps.
const SHOWS: &[&str] = &[
    "workflow",
    "media",
    "video",
    "publishing",
    "members",
    "access",
    "oauth",
];

pub(crate) const PLACES: &[Place] = &[place("/", "Hoje", &[])
    .with_key("h")
    .with_count(|waiting| waiting.refused_or_late)
    .with_areas(SHOWS)];
