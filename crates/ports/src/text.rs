//! Text generation by a language model.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use domain::Result;

/// A request for a JSON object written by the model.
#[derive(Debug, Clone)]
pub struct TextRequest {
    /// The instructions for the model: its task and rules.
    pub instructions: String,
    /// The text that the model works on.
    pub material: String,
    /// The name of the schema; only letters and `_`.
    pub name: &'static str,
    /// The JSON Schema of the object. Objects are closed, all properties are required and there are
    /// no limits, so that every provider accepts the schema.
    pub schema: Value,
}

/// Generates text with a language model of an external provider.
#[async_trait]
pub trait TextGenerator: Send + Sync {
    /// Returns the JSON object that the model wrote. It may violate the schema.
    ///
    /// Fails with `PROVIDER_TIMEOUT` if the response was lost, and with `PROVIDER_FAILED` if the
    /// provider or the model refuses, or if the text is truncated or not a JSON object.
    async fn generate_json(&self, request: TextRequest) -> Result<Value>;

    /// Returns the maximum duration of an operation, including all its calls to the model.
    fn timeout(&self) -> Duration;

    /// Checks whether text can be generated, without generating any.
    async fn check_available(&self) -> Result<()>;
}
