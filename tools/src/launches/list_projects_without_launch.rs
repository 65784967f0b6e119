use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{Capability, Cursor, Limit, ListPage, ProjectId};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::launches;

/// Lista os projetos ativos que ainda não têm lançamento, os novos antes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListProjectsWithoutLaunch {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Projetos sem lançamento.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectsWithoutLaunch {
    projetos: Vec<NamedProject>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Um projeto e o seu nome.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NamedProject {
    id: ProjectId,
    nome: String,
}

impl Operation for ListProjectsWithoutLaunch {
    const SPEC: Spec = Spec::new(
        "list_projects_without_launch",
        "Listar projetos sem lançamento",
        Verb::Get,
        "/api/projetos-sem-lancamento",
    )
    .access(Access::Member(Capability::Config))
    .links(&[Link {
        operation: "put_launch_dashboard",
        inputs: &[("projetoId", "/projetos/0/id")],
    }])
    .extension();
    type Output = ProjectsWithoutLaunch;

    async fn run(self, ctx: &Context<'_>) -> Result<ProjectsWithoutLaunch> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows =
            launches::list_projects_without(&ctx.db(), before, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |(id, _)| id.clone());
        let named = page.rows.into_iter();
        Ok(ProjectsWithoutLaunch {
            projetos: named.map(|(id, nome)| NamedProject { id, nome }).collect(),
            next_cursor: page.next_cursor,
        })
    }
}
