use schemars::JsonSchema;
use serde::Deserialize;

use gateway::{Context, Page, Reply, Result};

/// Serves the document named by the last segment of the path.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetDocument {}

impl Page for GetDocument {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        super::serve_document(ctx, ctx.spec.last_path_segment()).await
    }
}
