//! The MCP projection: the same table as tools, on one stateless endpoint, both protocol eras.

mod absent;
mod contract;
mod era;
mod handler;
mod library;
mod message;
mod narrowing;
mod previews;
mod results;
mod splice;

pub use contract::service;
