//! The `Operation` trait.
//!
//! `Spec::new` gives a value without access, and only its `access` makes a `Spec` of it. So an
//! operation that forgets who may call it does not compile.
//!
//! An answer is JSON. It is serialised once: REST writes it unchanged, and MCP writes it as text
//! and as structured content.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Context, Headers, Result, Spec};
use domain::Capability;

/// One operation of the service.
///
/// Its fields are the input, its doc comment is the published description, and `SPEC` is the
/// binding. Only the gateway runs it, after it has checked the caller and the input.
pub trait Operation: DeserializeOwned + JsonSchema + Send + 'static {
    const SPEC: Spec;
    type Output: Serialize + JsonSchema + Send;

    fn run(self, ctx: &Context<'_>) -> impl Future<Output = Result<Self::Output>> + Send;

    /// The status of the answer, for operations with several success statuses.
    fn status(_: &Self::Output) -> u16 {
        Self::SPEC.success
    }

    /// The ids of created or changed resources, if the answer contains them, for the audit trail.
    fn affected(_: &Self::Output) -> Vec<&str> {
        vec![]
    }

    /// Headers of the answer over HTTP, such as a cookie. A stored answer is replayed without them.
    fn headers(_: &Self::Output) -> Headers {
        vec![]
    }

    /// The capabilities that this input needs.
    fn needs(&self) -> Vec<Capability> {
        vec![]
    }

    /// Removes from an answer what the identical request repeats. Returns true if it removed
    /// anything. The short answer is stored with the idempotency key; an agent gets it if the whole
    /// answer is too long for a tool result.
    fn abridge(_: &mut Self::Output) -> bool {
        false
    }

    /// Removes from an answer what can be read elsewhere. Returns true if it removed anything. An
    /// agent gets the rest if every other form is too long for a tool result. The result must still
    /// match the output schema.
    fn shorten(_: &mut Value) -> bool {
        false
    }

    /// Rebuilds the whole answer from the stored short one and the identical request.
    fn complete(self, kept: &str) -> Result<String> {
        Ok(kept.to_owned())
    }
}
