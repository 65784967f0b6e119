use schemars::JsonSchema;
use serde::Deserialize;

use domain::Error;
use gateway::{Content, Context, Page, Reply, Result};

/// Serves the index by which agents discover the skill (Agent Skills Discovery, version 0.2).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetSkillIndex {}

impl Page for GetSkillIndex {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        super::serve_document(ctx, "agent-skills.json").await
    }
}

/// Serves a file to which the skill refers.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetSkillReference {
    /// Nome do arquivo.
    #[schemars(regex(pattern = "^[a-z-]{1,40}\\.md$"), example = "fluxos.md")]
    file: String,
}

impl Page for GetSkillReference {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let document = super::find_document(ctx, format!("references/{}", self.file)).await?;
        let document = document.ok_or_else(|| Error::not_found("arquivo da skill"))?;
        Ok(Reply::new(Content::Document(document)))
    }
}
