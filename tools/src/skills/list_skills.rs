use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hints;
use domain::{
    Capability, Cursor, Limit, ListPage, MemberId, RequestedWindow, Version, Window,
    time::Timestamp,
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::skills::{self, Content, Skill};

/// Lista as skills da equipe (guias), por nome, na versão atual.
///
/// Com `name`, só ela, com o histórico; `version` lê uma anterior. Longa, em janelas: `de` e `tamanho`,
/// até `janela.proxima` nula.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("dependentRequired" = {
    "version": ["name"], "de": ["name"], "tamanho": ["name"],
}))]
pub struct ListSkills {
    /// Só esta.
    #[schemars(regex(pattern = "^[a-z0-9-]{1,64}$"))]
    name: Option<String>,
    /// Versão de `name`.
    #[schemars(range(min = 1, max = 9007199254740991i64))]
    version: Option<Version>,
    /// Falso omite o conteúdo.
    #[serde(default = "include_content_by_default")]
    conteudo: bool,
    #[serde(flatten)]
    part: RequestedWindow,
    /// Quantas skills por página; com `name`, quantas versões do histórico.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

fn include_content_by_default() -> bool {
    true
}

/// Skills publicadas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Skills {
    skills: Vec<SkillView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Uma skill publicada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkillView {
    name: String,
    version: Version,
    description: String,
    /// Markdown; ausente quando `conteudo` é falso.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Que parte do conteúdo veio; ausente quando veio inteiro.
    #[serde(skip_serializing_if = "Option::is_none")]
    janela: Option<Window>,
    /// SHA-256 do conteúdo inteiro.
    sha256: String,
    updated_at: Timestamp,
    /// Quem publicou.
    updated_by: MemberId,
    updated_by_name: Option<String>,
    /// As versões, da mais nova à mais antiga; só com `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<SkillVersion>>,
}

/// Uma versão publicada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkillVersion {
    version: Version,
    sha256: String,
    updated_at: Timestamp,
    updated_by: MemberId,
    updated_by_name: Option<String>,
}

impl Operation for ListSkills {
    const SPEC: Spec = Spec::new("list_skills", "Listar skills", Verb::Get, "/api/skills")
        .access(Access::Member(Capability::SkillsView))
        .hints(hints::LIST)
        .tool()
        .quotes();
    type Output = Skills;

    async fn run(self, ctx: &Context<'_>) -> Result<Skills> {
        if let Some(name) = &self.name {
            return self.load_skill(ctx, name).await;
        }
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position::<String>)
            .transpose()?;
        let content = self.requested_content();
        let rows = skills::list(&ctx.db(), after, content, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| row.name.clone());
        Ok(Skills {
            skills: page.rows.into_iter().map(SkillView::from).collect(),
            next_cursor: page.next_cursor,
        })
    }
}

impl ListSkills {
    fn requested_content(&self) -> Content {
        match self.part.requested_range() {
            _ if !self.conteudo => Content::None,
            None => Content::Whole,
            Some(span) => Content::Part(span),
        }
    }

    /// Loads one skill with a page of its history. The list is empty if the skill does not exist.
    async fn load_skill(&self, ctx: &Context<'_>, name: &str) -> Result<Skills> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let db = ctx.db();
        let content = self.requested_content();
        let Some(found) = skills::find(&db, name, self.version, content).await? else {
            return Ok(Skills {
                skills: vec![],
                next_cursor: None,
            });
        };
        let rows = skills::list_history(&db, name, before, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| row.version);
        let total = found.content_length;
        let mut skill = SkillView::from(found);
        let span = self.part.requested_range();
        skill.janela = span
            .zip(total)
            .map(|(span, total)| Window::from_range(span, total));
        skill.history = Some(page.rows.into_iter().map(SkillVersion::from).collect());
        Ok(Skills {
            skills: vec![skill],
            next_cursor: page.next_cursor,
        })
    }
}

impl From<Skill> for SkillView {
    fn from(skill: Skill) -> Self {
        Self {
            name: skill.name,
            version: skill.version,
            description: skill.description,
            content: skill.content,
            janela: None,
            sha256: skill.sha256,
            updated_at: Timestamp(skill.updated_at),
            updated_by: skill.updated_by,
            updated_by_name: skill.updated_by_name,
            history: None,
        }
    }
}

impl From<Skill> for SkillVersion {
    fn from(skill: Skill) -> Self {
        Self {
            version: skill.version,
            sha256: skill.sha256,
            updated_at: Timestamp(skill.updated_at),
            updated_by: skill.updated_by,
            updated_by_name: skill.updated_by_name,
        }
    }
}
