use schemars::JsonSchema;
use serde::Deserialize;

use gateway::{Context, Page, Reply, Result};

/// The document that is named by the last part of the path.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetDocument {}

impl Page for GetDocument {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        super::reply(ctx, ctx.spec.file_name()).await
    }
}
