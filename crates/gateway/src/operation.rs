//! What an operation is.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Context, Result, Spec};
use domain::Capability;

/// One operation of the service.
///
/// Its fields are the input, its doc comment the published description, `SPEC` the binding.
/// It runs only through the gateway, after the guard has passed its caller and its input.
pub trait Operation: DeserializeOwned + JsonSchema + Send + 'static {
    const SPEC: Spec;
    type Output: Serialize + JsonSchema + Send;

    fn run(self, ctx: &Context<'_>) -> impl Future<Output = Result<Self::Output>> + Send;

    /// The status of the answer, where it depends on it.
    fn status(_: &Self::Output) -> u16 {
        Self::SPEC.success
    }

    /// The id of what the effect made or changed, where the answer tells it: the audit trail names it.
    fn affected(_: &Self::Output) -> Option<&str> {
        None
    }

    /// Capabilities that depend on the input.
    fn needs(&self) -> Vec<Capability> {
        vec![]
    }

    /// Leaves out of an answer what the identical request brings again, and tells whether there was
    /// any: the short answer is what a key keeps, and what an agent gets when the whole one is too
    /// long for a tool.
    fn abridge(_: &mut Self::Output) -> bool {
        false
    }

    /// Leaves out of an answer what can be read elsewhere, and tells whether there was any: what an
    /// agent gets when all else is too long for a tool. What is left satisfies the output schema.
    fn shorten(_: &mut Value) -> bool {
        false
    }

    /// The whole answer, out of the short one that was kept and the identical request.
    fn complete(self, kept: &str) -> Result<String> {
        Ok(kept.to_owned())
    }
}
