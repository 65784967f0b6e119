//! The database: SQLite in this process, with one writer and many readers, or a PostgreSQL pool.
//!
//! Queries live here, one file per aggregate. SQL text is limited to what both databases
//! understand, with `$n` placeholders.
//!
//! `Db` provides readers (`Db::reader`) and write transactions (`Db::begin`). SQLite runs in this
//! process (`sqlite/`); `postgres/` speaks the protocol of PostgreSQL. The `ConnectionTrait` of sea-orm
//! is implemented for both, so that entities and built queries work on either, and both return the same
//! rows (`row.rs`) and errors (`driver.rs`). Constant SQL bypasses the mapper. Instants are milliseconds
//! as integers, and documents are JSON as text. Where the databases differ, as in the JSON functions of
//! the query of events, one template renders the SQL of both.
//!
//! The store does not depend on operations or callers: the rules of visibility are in
//! `tools/src/visibility.rs`. No transaction is open during a request to a provider.
//!
//! Ids and revisions have their own types, from the JSON input to the rows. `domain::ids!` lists the
//! ids, and `row.rs` implements reading and binding once for that list. The format of an id is checked
//! in the input of a caller, not when a row is read: only an empty id in a row is an internal error.
//!
//! The test suite makes every n-th write, sync and allocation of the database fail under load
//! (`tests/suite/faults`), and also kills the process.

pub mod accounts;
pub mod agent_activity;
pub mod agents;
pub mod announcements;
pub mod approvals;
pub mod attempts;
pub mod audit;
pub mod backup;
pub mod budgets;
pub mod calendar_feeds;
pub mod config;
pub mod connections;
pub mod contents;
pub mod email_drafts;
pub mod events;
pub mod figures;
pub mod guest_links;
pub mod history;
pub mod hosted_identities;
pub mod idempotency;
pub mod jobs;
pub mod knowledge;
pub mod known_networks;
mod latest;
pub mod launches;
pub mod mails;
pub mod media;
pub mod media_jobs;
pub mod media_sources;
mod media_texts;
pub mod members;
pub mod notifications;
pub mod oauth_states;
pub mod outbox;
pub mod people;
pub mod pepper;
pub mod platform_passwords;
pub mod post_reminders;
pub mod post_results;
pub mod post_snoozes;
pub mod projects;
pub mod provider_rates;
pub mod publications;
pub mod publishing_pauses;
pub mod push;
pub mod remarks;
pub mod resource_names;
pub mod sales;
pub mod scheduled_posts;
mod search_sources;
pub mod searching;
pub mod secrets;
pub mod skills;
pub mod timeline;
pub mod tokens;
pub mod uploads;
pub mod variants;
pub mod videos;
pub mod waiting;
pub mod webhooks;

mod conditions;
mod conn;
mod db;
mod driver;
mod error;
mod explained;
mod many;
mod migrations;
mod pool;
mod postgres;
mod row;
mod sqlite;
mod statement_span;
mod turns;
mod tx;
mod versions;

pub use conn::Conn;
pub use db::Db;
pub use error::{Failure, Result};
pub use explained::{Explained, explain, is_server_unavailable};
pub use pool::PoolUse;
pub(crate) use row::{Bind, Columns, Read, Row, columns, convert, text_column};
pub use search_sources::save_missing_texts as fill_search_texts;
pub use statement_span::STATEMENTS;
pub use tx::Tx;
