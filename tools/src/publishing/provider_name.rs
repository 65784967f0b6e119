use schemars::JsonSchema;
use serde::Deserialize;

/// A network, as paths name it. Whether it is registered is for the operation to say.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline, transform = domain::without_comment)]
pub struct ProviderName(#[schemars(extend("examples" = ["shortvideo"]))] pub String);
