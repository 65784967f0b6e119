//! The inbox of approvals.

mod changed;
mod decide;
mod inbox;
mod panel;

pub(crate) use panel::REASONS;

use domain::Capability;
use gateway::Entry;

use crate::{
    agenda::EVENTS,
    places::{Place, place},
};

pub(crate) const PAGES: &[Entry] = &[inbox::INBOX, decide::DECIDE];
pub(crate) const PLACES: &[Place] = &[place("/aprovacoes", "Aprovações", &[Capability::Approve])
    .with_key("r")
    .with_paths(&["/convidados"])
    .with_count(|waiting| waiting.in_approval)
    .with_areas(EVENTS)];
