//! Scripts: researched in the knowledge base, drafted by a model and verified by it.

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
