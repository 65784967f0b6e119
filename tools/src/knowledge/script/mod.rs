//! Scripts: researched in the knowledge base, drafted by a model and verified by it.
//!
//! `generate_script` is a read for agents, but it costs. `Spec::reads_at_a_cost` lets a read take
//! an idempotency key and run as an outside operation, so that its key has a leased reservation and
//! each call its own audit row.

mod addresses;
mod draft;
mod generate_script;
mod hints;
mod material;
mod seconds;
mod verification;

use std::sync::Arc;

pub use generate_script::GenerateScript;

/// Writes texts. This part of the service is absent if no provider is configured.
pub type Writer = Arc<dyn ports::TextGenerator>;
