use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::project_view::Counted;
use domain::{
    Capability, Cursor, Limit, ListPage, ProjectId, Revision, project::ProjectStatus,
    time::Timestamp,
};
use gateway::{Access, Context, Error, Link, Operation, Result, Spec, Verb};
use store::projects::{self, ProjectSummary};

/// Lista os projetos da equipe, os novos antes, com contagens. O conteúdo: `get_project`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListProjects {
    /// Só neste estado.
    status: Option<ProjectStatus>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Projetos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Projects {
    projects: Vec<ProjectLine>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Um projeto, em uma linha.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectLine {
    id: ProjectId,
    name: String,
    status: ProjectStatus,
    revision: Revision,
    updated_at: Timestamp,
    counts: Counted,
}

impl Operation for ListProjects {
    const SPEC: Spec = Spec::new(
        "list_projects",
        "Listar projetos",
        Verb::Get,
        "/api/projects",
    )
    .access(Access::Member(Capability::ProjectsView))
    .links(&[
        Link {
            operation: "get_project",
            inputs: &[("projectId", "/projects/0/id")],
        },
        Link {
            operation: "list_project_operations",
            inputs: &[("projectId", "/projects/0/id")],
        },
    ])
    .tool()
    .quotes();
    type Output = Projects;

    async fn run(self, ctx: &Context<'_>) -> Result<Projects> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows = projects::list(&ctx.db(), self.status, before, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |line| line.id.clone());
        let lines = page.rows.into_iter().map(ProjectLine::try_from);
        Ok(Projects {
            projects: lines.collect::<Result<_>>()?,
            next_cursor: page.next_cursor,
        })
    }
}

impl TryFrom<ProjectSummary> for ProjectLine {
    type Error = Error;

    fn try_from(line: ProjectSummary) -> Result<Self> {
        Ok(Self {
            status: line.status.parse().map_err(Error::internal)?,
            id: line.id,
            name: line.name,
            revision: line.revision,
            updated_at: Timestamp(line.updated_at),
            counts: Counted {
                sections: line.sections,
                items: line.items,
                open: line.items - line.done,
                done: line.done,
                members: line.members,
            },
        })
    }
}
