use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SKILL, hints};
use crate::knowledge::index_skill;
use domain::{Capability, VISIBLE, Version, sha256_hex};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::skills::{self, NewVersion};

/// The maximum size of the body in bytes: 200,000 characters, each written as two `\u` escapes, plus the
/// other fields.
const BODY: usize = 200_000 * 12 + 100_000;

/// Publica uma versão nova de uma skill, que vale no ato para todos os agentes e é achada na base
/// de conhecimento. As anteriores ficam no histórico.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PublishSkillVersion {
    /// Nome da skill: a-z 0-9 e hífen, até 64 caracteres.
    #[schemars(regex(pattern = "^[a-z0-9-]{1,64}$"))]
    name: String,
    /// O que a skill faz e quando usar.
    #[schemars(length(min = 1, max = 1024), regex(pattern = *VISIBLE))]
    description: String,
    /// O texto da skill em Markdown.
    #[schemars(length(min = 1, max = 200000), regex(pattern = *VISIBLE))]
    content: String,
    /// A `version` lida em `list_skills`; 0 se ainda não há. Ausente
    /// não confere.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_version: Option<Version>,
}

/// Versão publicada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkillPublished {
    ok: bool,
    name: String,
    version: Version,
    /// SHA-256 do conteúdo.
    sha256: String,
}

impl Operation for PublishSkillVersion {
    const SPEC: Spec = Spec::new(
        "publish_skill_version",
        "Publicar skill",
        Verb::Post,
        "/api/skills",
    )
    .access(Access::Member(Capability::Config))
    .about(SKILL, "name")
    .read_by("list_skills")
    .success(201)
    .body_limit(BODY)
    .hints(hints::PUBLISH)
    .tool();
    type Output = SkillPublished;

    async fn run(self, ctx: &Context<'_>) -> Result<SkillPublished> {
        let sha256 = sha256_hex(self.content.as_bytes());
        let new = NewVersion {
            name: &self.name,
            description: &self.description,
            content: &self.content,
            sha256: &sha256,
            member_id: &ctx.caller()?.member.id,
        };
        let (version, _) = skills::publish(&ctx.db(), new, self.expected_version, ctx.now).await?;
        let Self {
            name,
            description,
            content,
            ..
        } = self;
        let (services, db) = (ctx.services, ctx.db());
        index_skill(services, &db, &name, &description, &content, ctx.now).await?;
        Ok(SkillPublished {
            ok: true,
            name,
            version,
            sha256,
        })
    }
}
