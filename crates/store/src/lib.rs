//! The database: SQLite in this process, with one writer and many readers, or a PostgreSQL pool.
//!
//! Queries live here, one file per aggregate. SQL text is limited to what both databases
//! understand, with `$n` placeholders.

pub mod accounts;
pub mod agents;
pub mod announcements;
pub mod audit;
pub mod backup;
pub mod config;
pub mod connections;
pub mod contents;
pub mod email_drafts;
pub mod events;
pub mod figures;
pub mod history;
pub mod hosted_identities;
pub mod idempotency;
pub mod jobs;
pub mod knowledge;
pub mod known_networks;
mod latest;
pub mod launches;
pub mod media;
pub mod media_jobs;
pub mod members;
pub mod oauth_states;
pub mod people;
pub mod pepper;
pub mod platform_passwords;
pub mod projects;
pub mod provider_rates;
pub mod publications;
pub mod sales;
pub mod secrets;
pub mod skills;
pub mod timeline;
pub mod tokens;
pub mod videos;

mod availability;
mod conditions;
mod conn;
mod db;
mod error;
mod explained;
mod fold;
mod many;
mod migrations;
mod pool;
mod row;
mod sqlite;
mod turns;
mod tx;
mod versions;

pub use conn::Conn;
pub use db::Db;
pub use error::{Failure, Result};
pub use explained::{Explained, explained, is_away};
pub use pool::PoolUse;
pub(crate) use row::{Bind, Columns, Read, Row, columns, typed};
pub use tx::Tx;
