//! The tables as sea-orm entities, for storage only: no entity is a wire type.
//!
//! Instants are milliseconds since the Unix epoch, documents are JSON text, ids are UUIDv7 text.

pub mod account;
pub mod audit_event;
pub mod config_entry;
pub mod config_log;
pub mod email_draft;
pub mod event;
pub mod event_assignee;
pub mod event_history;
pub mod idempotency_key;
pub mod invite;
pub mod media;
pub mod member;
pub mod personal_token;
pub mod project;
pub mod project_operation;
pub mod refresh_token;
pub mod session_family;
pub mod signing_key;
pub mod skill;
pub mod skill_version;
pub mod team;
