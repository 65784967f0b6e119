//! The MCP projection: the table as tools, on one stateless endpoint, for both protocol eras.

mod absent;
mod answers;
mod apps;
mod call;
mod caller;
mod challenge;
mod compact;
mod contract;
mod direct;
mod elicitation;
mod era;
mod excerpts;
mod extensions;
mod handler;
mod library;
mod lists;
mod message;
mod narrowing;
mod offered;
mod previews;
mod published;
mod results;
mod skills;
mod spelling;
mod url_origin;

pub use contract::service;
