//! The `Operation` trait.
//!
//! `Spec::new` returns a value without an access rule, and only its method `access` turns that into
//! a `Spec`. An operation that does not state who may call it does not compile.
//!
//! A response is JSON and is serialised once: REST sends it unchanged, and MCP sends it as text and
//! as structured content.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Context, Error, Headers, Result, Spec};
use domain::Capability;

/// An operation of the service.
///
/// Its fields are the input, its doc comment is the published description, and `SPEC` is its
/// specification. Only the gateway runs it, after checking the caller and the input.
///
/// ```
/// use gateway::{Access, Area, Context, Entry, Operation, Registry, Result, Spec, Verb};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
///
/// /// Soma dois números.
/// #[derive(Deserialize, JsonSchema)]
/// struct AddNumbers {
///     first: i64,
///     second: i64,
/// }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Sum {
///     sum: i64,
/// }
///
/// impl Operation for AddNumbers {
///     const SPEC: Spec = Spec::new("add_numbers", "Somar", Verb::Post, "/api/soma")
///         .access(Access::AnyMember)
///         .reads()
///         .tool();
///     type Output = Sum;
///
///     async fn run(self, _: &Context<'_>) -> Result<Sum> {
///         Ok(Sum { sum: self.first + self.second })
///     }
/// }
///
/// static AREA: Area =
///     Area::new("numbers", "Contas.").operations(&[Entry::for_operation::<AddNumbers>()]);
///
/// let registry = Registry::new([&AREA]);
/// let operation = registry.find("add_numbers").unwrap();
/// assert_eq!(operation.description(), "Soma dois números.");
/// assert!(operation.validator().is_valid(&json!({ "first": 1, "second": 2 })));
/// assert!(!operation.validator().is_valid(&json!({ "first": 1, "third": 3 })));
/// ```
pub trait Operation: DeserializeOwned + JsonSchema + Send + 'static {
    const SPEC: Spec;
    type Output: Serialize + JsonSchema + Send;

    /// Deserializes an input that matches the published schema.
    fn from_input(input: Value) -> Result<Self> {
        serde_json::from_value(input).map_err(|_| {
            Error::invalid_field("entrada", "type", "não pôde ser lida como esta operação")
        })
    }

    fn run(self, ctx: &Context<'_>) -> impl Future<Output = Result<Self::Output>> + Send;

    /// Returns the HTTP status of the response, for operations with several success statuses.
    fn status(_: &Self::Output) -> u16 {
        Self::SPEC.success
    }

    /// Returns the ids of created or changed resources, for the audit trail, if the response
    /// contains them.
    fn affected_ids(_: &Self::Output) -> Vec<&str> {
        vec![]
    }

    /// Returns HTTP headers of the response, such as a cookie. A replayed response has none of
    /// these headers.
    fn headers(_: &Self::Output) -> Headers {
        vec![]
    }

    /// Returns the capabilities that this input requires.
    fn required_capabilities(&self) -> Vec<Capability> {
        vec![]
    }

    /// Removes from a response the parts that repeat the request; returns true if it removed any.
    /// The shorter response is stored with the idempotency key. An agent also receives it if the
    /// complete response is too long for a tool result.
    fn remove_repeated_parts(_: &mut Self::Output) -> bool {
        false
    }

    /// Removes from a response the parts that can be read through another operation; returns true
    /// if it removed anything. An agent receives the rest if every other form is too long for a
    /// tool result. The result must still match the output schema.
    fn omit_separately_readable_parts(_: &mut Value) -> bool {
        false
    }

    /// Restores the complete response from the stored shorter one and the identical request.
    fn restore_answer(self, kept: &str) -> Result<String> {
        Ok(kept.to_owned())
    }
}
