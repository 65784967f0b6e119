//! Generation of text by a model.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use domain::Result;

/// A request for a JSON object.
#[derive(Debug, Clone)]
pub struct TextRequest {
    /// The task and its rules.
    pub instructions: String,
    /// The material to work on.
    pub material: String,
    /// The name of the schema: letters and `_`.
    pub name: &'static str,
    /// JSON Schema of the object. Objects are closed, all properties are required and there are no
    /// limits, so that every provider accepts the schema.
    pub schema: Value,
}

/// Generates text with a model of an outside provider.
#[async_trait]
pub trait TextGenerator: Send + Sync {
    /// Returns the JSON object that the model wrote. It may violate the schema.
    ///
    /// Refused with `PROVIDER_TIMEOUT` when the answer was lost, and with `PROVIDER_FAILED` when
    /// the provider or the model refuses, or when the text is truncated or not a JSON object.
    async fn write(&self, request: TextRequest) -> Result<Value>;

    /// The maximum duration of an operation, including all its calls.
    fn timeout(&self) -> Duration;

    /// Checks whether texts can be written, without writing one.
    async fn check(&self) -> Result<()>;
}
