//! The MCP projection: the same table as tools, on one stateless endpoint, both protocol eras.

mod contract;
mod handler;
mod narrowing;
mod previews;
mod splice;

pub use contract::service;
