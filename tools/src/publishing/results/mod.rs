//! Reads the figures of published posts, such as reach, likes and visits.
//!
//! Decided here:
//!
//! - The figures of a post are read an hour, a day, a week and a month after the post went online, each
//!   with the time of the reading. A failed reading is retried for a while, and is never replaced by
//!   figures of another age. The networks keep the figures of a story for only a day, so a story has two
//!   readings.
//! - A figure that the network does not return is unavailable, which differs from 0.
//! - Only posts that the service published are read. A post that a person published has no stored id at
//!   the network.
//! - A connection without the permission to read results keeps publishing. Its readings store this
//!   reason, and the service sends the network no requests for figures.
//! - Figures are requested only with the account that published the post.
//! - A network that returns the figures of several posts in one call gets one request for several posts.
//!   A token that a network refuses is renewed once.
//! - The insights on the best hours use the figures of teams that have enough of them
//!   (`workflow/hours_of_results.rs`).

mod clicks;
mod desk;
mod list_results;
mod meaning;
mod read;
mod view;

pub use desk::{FiguresNetwork, ResultsDesk};
pub use list_results::ListResults;
pub(super) use read::ReadResults;
