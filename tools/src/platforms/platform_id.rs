use schemars::JsonSchema;
use serde::Deserialize;

/// The name that the team gives a platform.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline, transform = domain::without_comment)]
pub(super) struct PlatformId(
    #[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))] pub String,
);
