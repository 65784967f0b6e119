//! The search over everything: the page `/busca`, and what the palette asks while one types.
//!
//! What is found is the answer of `search_everything`. Places, actions and operations are those of
//! the palette, so they are compared here and in its script.

mod found;
mod page;
mod typed;

use gateway::Entry;

pub(crate) const PAGES: &[Entry] = &[page::SEARCH, typed::TYPED];
