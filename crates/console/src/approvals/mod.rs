//! What waits for a decision.

use gateway::Entry;

use crate::places::Place;

pub(crate) const PAGES: &[Entry] = &[];
pub(crate) const PLACES: &[Place] = &[];
