use schemars::JsonSchema;
use serde::Deserialize;

use gateway::{Context, Page, Reply, Result};

/// Serves the OpenAPI contract as JSON, or the part of it that fits into the actions of a custom
/// GPT.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetOpenapi {
    /// `chatgpt`: só o que cabe nas ações de um GPT.
    #[schemars(regex(pattern = "^chatgpt$"))]
    perfil: Option<String>,
}

impl Page for GetOpenapi {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let name = match self.perfil {
            Some(_) => "openapi-chatgpt.json",
            None => ctx.spec.last_path_segment(),
        };
        super::serve_document(ctx, name).await
    }
}
