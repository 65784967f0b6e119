//! The MCP projection: the table as tools, on one stateless endpoint, for both protocol eras.
//!
//! `contract.rs` is the thin layer of HTTP rules around rmcp's service: 401 first, then 405, 415,
//! any `Accept`, and error objects for bodies that are not messages. `direct.rs` recognises calls
//! and lists of tools, and rmcp serves everything else through `handler.rs`. `call.rs` runs the
//! call for both ways. A test sends the same requests both ways and compares the answers.
//!
//! A tool without the right, a narrowed one and an unknown one get the same answer. Refusals are
//! `isError` texts of the form `CODE: mensagem` with the next step, and never structured content,
//! which clients would validate against the output schema.
//!
//! There are no list-changed notifications, because there is no stream to send them on: `ttlMs`
//! says to modern clients how long a list is valid.
//!
//! Decided here: names of toolsets that do not exist are refused (400) with the list of those that
//! do.

mod absent;
mod answers;
mod apps;
mod call;
mod caller;
mod challenge;
mod compact;
mod contract;
mod direct;
mod elicitation;
mod era;
mod excerpts;
mod extensions;
mod handler;
mod library;
mod lists;
mod message;
mod narrowing;
mod offered;
mod previews;
mod published;
mod results;
mod skills;
mod spelling;
mod url_origin;

pub use contract::service;
