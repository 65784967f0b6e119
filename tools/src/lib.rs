//! Pauta's tool registry: every operation, defined once.
//!
//! The table, [`AREAS`], is the only definition. REST, MCP, the catalog, OpenAPI and the artifacts
//! are projections of it.

pub mod access;
mod announcements;
mod approval_rules;
pub mod artifacts;
mod calendar_feeds;
mod config;
mod conversation;
mod draft_remarks;
mod due_posts;
mod editable;
mod email_drafts;
pub mod figures;
mod finding;
mod guest_scope;
mod guests;
pub mod knowledge;
mod launches;
mod links;
pub mod mail;
pub mod mcp;
pub mod media;
mod media_ref;
mod members;
mod notifications;
pub mod operator;
mod outbox_batch;
mod own_changes;
pub mod platforms;
mod post_file;
mod project_pieces;
mod projects;
pub mod publishing;
pub mod push;
mod sales;
pub mod skills;
mod subscriptions;
pub mod system;
mod table;
mod team_brand;
pub mod timeline;
mod variants;
pub mod video;
mod visibility;
pub mod webhooks;
mod workflow;

pub use table::{AREAS, error_codes, hosted_registry, jobs, operations, pages, registry};
