use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PROJECT, hints, project_view::ProjectView};
use domain::{
    Capability, Cursor, MemberId, ProjectId, SectionId, encode_position,
    project::{Item, ItemStatus, MOST_ITEMS},
};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::projects;

/// Lê um projeto: cabeçalho, seções, itens e a `revision` a enviar na próxima mudança.
///
/// De um grande, filtre os itens e leia em páginas.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetProject {
    /// Id do projeto.
    #[serde(rename = "projectId")]
    project_id: ProjectId,
    /// Só desta seção.
    section_id: Option<SectionId>,
    /// Só neste estado.
    item_status: Option<ItemStatus>,
    /// Só itens a fazer desta pessoa.
    assignee_member_id: Option<MemberId>,
    /// Itens por página; ausente, todos.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u8>,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Um projeto.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Project {
    project: ProjectView,
    /// Para pedir os próximos itens; nulo quando não há mais.
    next_cursor: Option<String>,
}

impl Operation for GetProject {
    const SPEC: Spec = Spec::new(
        "get_project",
        "Ler projeto",
        Verb::Get,
        "/api/projects/{projectId}",
    )
    .access(Access::Member(Capability::ProjectsView))
    .about(PROJECT, "projectId")
    .fails(&[404])
    .hints(hints::READ)
    .links(&[Link {
        operation: "apply_project_operation",
        inputs: &[
            ("projectId", "/project/id"),
            ("expected_revision", "/project/revision"),
        ],
    }])
    .tool()
    .quotes();
    type Output = Project;

    async fn run(self, ctx: &Context<'_>) -> Result<Project> {
        let from = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let from: usize = from.unwrap_or(0);
        if from > MOST_ITEMS {
            return Err(Cursor::invalid_cursor());
        }
        let stored = projects::require(&ctx.db(), &self.project_id).await?;
        let mut project = ProjectView::load(stored, &ctx.db()).await?;
        let (mut chosen, mut more) = (0, false);
        for section in project.sections_mut() {
            let here = self.section_id.as_ref().is_none_or(|id| section.id == *id);
            section.items.retain(|item| {
                if !here || !self.matches_filters(item) {
                    return false;
                }
                chosen += 1;
                let ended = self
                    .limit
                    .is_some_and(|limit| chosen > from + usize::from(limit));
                more |= ended;
                chosen > from && !ended
            });
        }
        let next = self.limit.map(|limit| from + usize::from(limit));
        Ok(Project {
            project,
            next_cursor: next.filter(|_| more).map(|next| encode_position(&next)),
        })
    }
}

impl GetProject {
    fn matches_filters(&self, item: &Item) -> bool {
        let assigned = |id| item.assignee_member_ids.contains(id);
        self.item_status.is_none_or(|status| item.status == status)
            && self.assignee_member_id.as_ref().is_none_or(assigned)
    }
}
