//! The viewer's notifications: the list, the links of the entries, and the settings.
//!
//! The list is not an entry of the navigation, because the bell in the bar of every page links to it.

mod devices;
mod inbox;
mod open;
mod settings;

use gateway::Entry;
pub(crate) const PAGES: &[Entry] = &[inbox::INBOX, open::OPEN, settings::SETTINGS];
