//! What came of published posts.
//!
//! Decided here:
//!
//! - The figures of a post are read an hour, a day, a week and a month after it went online, each with
//!   the time of the reading. A reading that does not succeed is tried again for a while, and is never
//!   replaced by figures of another age. A story has figures for a day only, so it has two readings.
//! - A figure that the network does not state is not available, which is not 0.
//! - Only posts that the service published are read. One that a person posted has no id at the network.
//! - A connection without the permission to read results keeps publishing, and its readings say why
//!   there are none. Nothing is asked of the network then.
//! - Figures of another account are not read: the one that published is the one that is asked.
//! - A network that reads several posts in one call is asked for them together. A token that a network
//!   refuses is renewed once.
//! - Best hours learn from the figures where a team has enough of them (`workflow/hours_of_results.rs`).

mod clicks;
mod desk;
mod list_results;
mod meaning;
mod read;
mod view;

pub use desk::{FiguresNetwork, ResultsDesk};
pub use list_results::ListResults;
pub(super) use read::ReadResults;
