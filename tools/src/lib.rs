//! Pauta's tool registry: every operation, defined once.
//!
//! The table [`OPERATIONS`] and the raw routes beside it are all that exists; REST, MCP, the
//! catalog, OpenAPI and the artifacts are projections of them.

mod access;
mod config;
mod email_drafts;
pub mod knowledge;
mod links;
pub mod media;
mod media_ref;
mod members;
pub mod operator;
mod projects;
pub mod skills;
mod system;
mod table;
mod visibility;
mod workflow;

pub use table::{AREAS, OPERATIONS, RAW_ROUTES};
