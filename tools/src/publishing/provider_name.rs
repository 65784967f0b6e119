use schemars::JsonSchema;
use serde::Deserialize;

/// The name of a network in a path. The operation checks whether the network is registered.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline, transform = domain::without_comment)]
pub struct ProviderName(#[schemars(extend("examples" = ["shortvideo"]))] pub String);
