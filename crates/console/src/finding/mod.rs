//! The search over all resources: the page `/busca`, and the search of the palette while the viewer
//! types.
//!
//! Resources are found by `search_everything`. Places, actions and operations come from the entries
//! of the palette, so this module and the palette's script match their names.

mod found;
mod page;
mod typed;

use gateway::Entry;

pub(crate) const PAGES: &[Entry] = &[page::SEARCH, typed::TYPED];
