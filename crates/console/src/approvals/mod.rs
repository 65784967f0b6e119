//! What waits for a decision.

mod changed;
mod decide;
mod inbox;

pub(crate) use decide::REASONS;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[inbox::INBOX, decide::DECIDE];
pub(crate) const PLACES: &[Place] = &[place("/aprovacoes", "Aprovações", &[Capability::Approve])];

/// The path of the inbox, at a piece.
fn path(id: Option<&str>) -> String {
    match id {
        Some(id) => format!("/aprovacoes?evento={id}"),
        None => "/aprovacoes".into(),
    }
}
