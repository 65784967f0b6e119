//! Every operation, for admins.

use gateway::Entry;

use crate::places::Place;

pub(crate) const PAGES: &[Entry] = &[];
pub(crate) const PLACES: &[Place] = &[];
