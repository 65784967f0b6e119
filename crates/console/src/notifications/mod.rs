//! What happened that the viewer should know: the list, the link of each entry, and what to be told.
//!
//! The list is no entry of the navigation: the bell in the bar leads to it from every page.

mod devices;
mod inbox;
mod open;
mod settings;

use gateway::Entry;
pub(crate) const PAGES: &[Entry] = &[inbox::INBOX, open::OPEN, settings::SETTINGS];
