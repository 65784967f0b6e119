//! Pauta's tool registry: every operation, defined once.
//!
//! The table [`OPERATIONS`] and the raw routes beside it are all that exists; REST, MCP, the
//! catalog, OpenAPI and the artifacts are projections of them.

mod access;
mod config;
pub mod domain;
mod email_drafts;
pub mod identity;
pub mod knowledge;
pub mod media;
mod members;
pub mod operator;
pub mod ports;
mod projects;
pub mod registry;
pub mod skills;
pub mod store;
mod system;
mod table;
mod workflow;

pub use table::{OPERATIONS, RAW_ROUTES};
