//! Pauta's tool registry: every operation, defined once.
//!
//! The table, [`OPERATIONS`] and [`pages`], is all that exists; REST, MCP, the
//! catalog, OpenAPI and the artifacts are projections of them.

mod access;
pub mod artifacts;
mod config;
mod email_drafts;
pub mod knowledge;
mod links;
mod mcp;
pub mod media;
mod media_ref;
mod members;
pub mod operator;
pub mod platforms;
mod projects;
pub mod publishing;
pub mod skills;
pub mod system;
mod table;
mod visibility;
mod workflow;

pub use table::{AREAS, JOBS, OPERATIONS, codes, hosted_registry, pages, registry};
