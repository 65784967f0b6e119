//! Agents, tokens, team, audit trail and the first sign-in.

use gateway::Entry;

use crate::places::Place;

pub(crate) const PAGES: &[Entry] = &[];
pub(crate) const PLACES: &[Place] = &[];
