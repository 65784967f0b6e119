//! The pages of a guest's link: the pieces, the decision, the remarks, and the code.
//!
//! The pages are made for a phone and need no script. They show only data of `list_guest_pieces`, and no
//! part of the console.

mod draw;
mod model;
mod page;
mod posts;
mod receive;
mod refused;
mod remarks;
mod sheet;
mod spot;

pub use refused::answer_guest_refusal;

use gateway::Entry;

pub(crate) const PAGES: &[Entry] = &[page::PAGE, receive::RECEIVE, spot::PAGE];
