//! The operations of one call. An operation may refer to an id that an earlier operation of the call
//! generates.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

use super::typed;
use domain::{Capability, project::ProjectOperation};
use gateway::{Error, Result};

/// The maximum number of operations in one call.
const MOST: usize = 50;

/// One operation of a call: the object `{type, payload}`.
#[derive(Debug)]
pub(super) struct Step {
    sent: Value,
    /// The parsed operation. Placeholders such as `$0` are not replaced yet.
    read: ProjectOperation,
}

/// The operations of one call, in order.
#[derive(Debug, Deserialize)]
pub(super) struct Steps(pub(super) Vec<Step>);

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sent = Value::deserialize(deserializer)?;
        let read = ProjectOperation::deserialize(&sent).map_err(D::Error::custom)?;
        Ok(Self { sent, read })
    }
}

impl Steps {
    pub(super) fn needed_capabilities(&self) -> Vec<Capability> {
        let mut needed: Vec<_> = self
            .0
            .iter()
            .map(|step| step.read.required_capability())
            .collect();
        needed.dedup();
        needed
    }
}

impl Step {
    /// Replaces `$0`, `$1`… by the ids that the earlier operations generated.
    ///
    /// Refuses (400) a placeholder that refers to an operation without a generated id.
    pub(super) fn resolve_placeholders(
        mut self,
        made: &[Option<String>],
    ) -> Result<ProjectOperation> {
        let fields = self.sent["payload"].as_object_mut();
        for (field, value) in fields.into_iter().flatten() {
            let Some(place) = value.as_str().and_then(|text| text.strip_prefix('$')) else {
                continue;
            };
            if !field.ends_with("_id") {
                continue;
            }
            let id = place
                .parse()
                .ok()
                .and_then(|at: usize| made.get(at)?.clone());
            let id = id.ok_or_else(|| {
                let field = format!("operations.{}.payload.{field}", made.len());
                Error::invalid_field(
                    &field,
                    "reference",
                    "não nomeia o que uma operação anterior acrescentou",
                )
            })?;
            *value = id.into();
        }
        Ok(serde_json::from_value(self.sent)?)
    }
}

impl JsonSchema for Steps {
    fn schema_name() -> Cow<'static, str> {
        "Steps".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": typed::operation_schema(),
            "minItems": 1,
            "maxItems": MOST,
        })
    }
}
