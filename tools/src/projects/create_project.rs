use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PROJECT, hints, project_view::ProjectView};
use domain::{
    Capability, ProjectId,
    project::{self, Notes, Title},
};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::projects;

/// Cria um projeto vazio, na revisão 1; preencha com `apply_project_operations`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateProject {
    /// Nome do projeto.
    name: Title,
    /// Do que se trata.
    description: Option<Notes>,
}

/// Projeto criado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectCreated {
    ok: bool,
    project: ProjectView,
}

impl Operation for CreateProject {
    const SPEC: Spec = Spec::new(
        "create_project",
        "Criar projeto",
        Verb::Post,
        "/api/projects",
    )
    .access(Access::Member(Capability::ProjectsManage))
    .makes(PROJECT)
    .success(201)
    .hints(hints::CREATE)
    .links(&[
        Link {
            operation: "get_project",
            inputs: &[("projectId", "/project/id")],
        },
        Link {
            operation: "apply_project_operation",
            inputs: &[
                ("projectId", "/project/id"),
                ("expected_revision", "/project/revision"),
            ],
        },
    ])
    .tool();
    type Output = ProjectCreated;

    fn affected_ids(output: &ProjectCreated) -> Vec<&str> {
        vec![output.project.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<ProjectCreated> {
        let creation = project::ProjectOperation::CreateProject {
            title: self.name,
            notes: self.description.unwrap_or(Notes(String::new())),
        };
        let id = ProjectId::new(ctx.now);
        let actor = &ctx.caller()?.member.id;
        let stored = projects::create(&ctx.db(), id, &creation, actor, ctx.now).await?;
        Ok(ProjectCreated {
            ok: true,
            project: ProjectView::load(stored, &ctx.db()).await?,
        })
    }
}
