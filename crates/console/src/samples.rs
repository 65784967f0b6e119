//! The examples that the catalog shows for an operation.

use gateway::{Input, Registered};
use serde_json::Value;

/// The example of an operation.
#[derive(Debug, Clone)]
pub struct Sample {
    pub input: Input,
    pub answer: Value,
}

/// One call as a shell command, once with curl and once with the command line of the service.
pub struct Calls {
    pub curl: String,
    pub cli: String,
}

/// The published examples.
pub trait Samples: Send + Sync {
    /// Finds the example of this operation.
    fn find_sample(&self, operation: &str) -> Option<Sample>;

    /// Returns the commands that call an operation with this input.
    fn build_calls(&self, operation: &Registered, input: &Input) -> Calls;
}
