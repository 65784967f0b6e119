//! The MCP projection: the same table as tools, on one stateless endpoint, both protocol eras.

mod absent;
mod caller;
mod compact;
mod contract;
mod era;
mod excerpts;
mod extensions;
mod handler;
mod library;
mod lists;
mod message;
mod narrowing;
mod previews;
mod results;
mod spelling;
mod splice;

pub use contract::service;
