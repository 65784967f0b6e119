use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use domain::NULLABLE;

/// A password, or `null` to erase the current one. The field is required.
#[derive(Deserialize)]
pub(super) struct NewPassword(pub Option<String>);

/// Debug output that omits the password.
impl std::fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewPassword")
    }
}

impl JsonSchema for NewPassword {
    fn schema_name() -> Cow<'static, str> {
        "NewPassword".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 4096,
            "pattern": r"^[^\u0000]*$",
            (NULLABLE): true,
        })
    }
}
