//! Scripts for videos and posts: the knowledge base provides sources, a model writes a draft, and
//! the model verifies the claims of the draft against the sources.
//!
//! `generate_script` is a read for agents, but each call costs money. `Spec::reads_at_a_cost` lets
//! a read accept an idempotency key and run as an outside operation: the key has a leased
//! reservation, and each call has its own audit row.

mod addresses;
mod draft;
mod generate_script;
mod hints;
mod material;
mod seconds;
mod verification;

use std::sync::Arc;

pub use generate_script::GenerateScript;

/// The text generator. This part of the service is absent if no provider is configured.
pub type Writer = Arc<dyn ports::TextGenerator>;
