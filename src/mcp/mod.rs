//! The MCP projection: operations as tools, on one stateless endpoint. It serves stateless protocol
//! versions (2026-07-28 and later) and earlier ones, which begin with `initialize`.
//!
//! `contract.rs` applies the HTTP rules around rmcp's service: it checks the credential (401), the
//! method (405) and the content type (415), accepts any `Accept` header, and answers a body that is
//! not a message with an error object. `direct.rs` recognises tool calls and tool lists and
//! `dispatch.rs` answers them; rmcp handles everything else through `handler.rs`. In both cases,
//! `call.rs` runs the tool. A test sends the same requests both ways and compares the responses.
//!
//! A tool that is forbidden, hidden by narrowing or unknown gets the same response. Errors are
//! `isError` texts of the form `CODE: mensagem` with the next step. They never have structured
//! content, which clients would validate against the output schema.
//!
//! There are no list-changed notifications, because there is no stream to send them on: `ttlMs`
//! tells modern clients how long they may cache a list. The only stream is the response to a call
//! that reports its progress (`progress.rs`).
//!
//! `rules.rs` has the rules of use that tools and results state, because many hosts drop the
//! `instructions`.
//!
//! Unknown toolset names are rejected (400) with the list of existing ones.

mod absent;
mod answers;
mod apps;
mod call;
mod caller;
mod challenge;
mod compact;
mod confirmation;
mod contract;
mod direct;
mod dispatch;
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
mod progress;
mod protocol_errors;
mod published;
mod results;
mod rules;
mod skills;
mod spelling;
mod tasks;
mod url_origin;

pub use contract::mcp_route;
