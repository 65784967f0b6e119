//! The tables as sea-orm entities, for storage only: no entity is a wire type.
//!
//! Instants are milliseconds since the Unix epoch, documents are JSON text, ids are UUIDv7 text.
//!
//! A table has an entity if `store` builds a query from optional filters, reads whole rows, or
//! inserts a row by its columns. The other tables are read and written by constant SQL only.

pub mod account;
pub mod audit_event;
pub mod config_entry;
pub mod config_log;
pub mod email_draft;
pub mod idempotency_key;
pub mod member;
pub mod personal_token;
pub mod project;
pub mod project_operation;
pub mod signing_key;
