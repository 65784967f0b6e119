//! Texts that a model writes.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use domain::Result;

/// A request for a JSON object.
#[derive(Debug, Clone)]
pub struct TextRequest {
    /// What the model is to do, and by which rules.
    pub instructions: String,
    /// What it works on.
    pub material: String,
    /// The name of the schema: letters and `_`.
    pub name: &'static str,
    /// JSON Schema of the object: closed objects whose properties are all required, and no limits, so
    /// that every provider takes it.
    pub schema: Value,
}

/// Writes texts: a model of an outside provider.
#[async_trait]
pub trait TextGenerator: Send + Sync {
    /// An object that the model wrote. It is JSON, but may not follow the schema.
    ///
    /// Refused with `PROVIDER_TIMEOUT` when the answer was lost, and with `PROVIDER_FAILED` when the
    /// provider or the model refuses, or the text is cut or no JSON object.
    async fn write(&self, request: TextRequest) -> Result<Value>;

    /// How long an operation may take, with all its calls.
    fn timeout(&self) -> Duration;

    /// Checks whether texts can be written, without writing one.
    async fn check(&self) -> Result<()>;
}
