//! What the catalog shows of an operation beside its spec.

use gateway::{Input, Registered};
use serde_json::Value;

/// The example of an operation.
#[derive(Debug, Clone)]
pub struct Sample {
    pub input: Input,
    pub answer: Value,
}

/// One call, written for the shell.
pub struct Calls {
    pub curl: String,
    pub cli: String,
}

/// The published examples.
pub trait Samples: Send + Sync {
    /// The example of an operation.
    fn of(&self, operation: &str) -> Option<Sample>;

    /// The call of an operation with this input.
    fn calls(&self, operation: &Registered, input: &Input) -> Calls;
}
