//! The channels that pieces go to, and the rules of their networks.
//!
//! `table.rs` has one row for each format of a channel, with the source of its limits. A channel that
//! is not in the table has no rules: a team may plan for any channel.

mod check;
mod length;
mod links;
mod rules;
mod table;

pub use check::{ChannelFault, MediaFacts, Post, check_post};
pub use length::Unit;
pub use rules::{
    Automatic, Channel, FileRules, Format, FormatRules, MediaCount, Ratio, Ratios, TextLimit,
    TikTokOption, channel_key, is_same_channel,
};
pub use table::{CHANNELS, SELF_ONLY, usual_format};
