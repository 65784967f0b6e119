//! `POST /api/projects/{projectId}/operations`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{list_project_operations::RecordedOperation, project_view::Changed, typed};
use crate::{
    domain::{
        Capability, MemberId, ProjectId, Revision,
        project::{self, Item, Operation as Change, Touched},
        time::{Millis, Timestamp},
    },
    registry::{Access, Area, Context, Error, Link, Operation, Result, Spec, Verb},
    store::{
        events, members,
        projects::{self, Stored},
    },
};

/// Aplica uma operação a um projeto: o único modo de mudá-lo.
///
/// Uma operação que nada muda responde 200 sem revisão nova, com `operation` e `changed` nulos.
/// Quem leu uma revisão anterior recebe `STALE_REVISION` com `details.since`: o tipo e os
/// identificadores das operações feitas nesse meio-tempo. Se não tocam no mesmo item ou seção,
/// repita com `expected_revision` igual a `details.current`; senão releia com `get_project`. Os
/// tipos `project.*` e `member.*` pedem a permissão `projects_manage`; um projeto arquivado só
/// aceita `project.restore`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = typed::publish)]
pub struct ApplyProjectOperation {
    /// Identificador do projeto.
    #[serde(rename = "projectId")]
    project_id: ProjectId,
    #[serde(flatten)]
    operation: Change,
    /// A `revision` lida por último.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// O `updated_at` lido por último, para conferir também.
    #[schemars(extend("format" = "date-time"))]
    expected_updated_at: Option<String>,
}

/// Operação aplicada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectChanged {
    ok: bool,
    /// A revisão a enviar na próxima mudança.
    revision: Revision,
    /// O mesmo que `revision`.
    api_revision: Revision,
    updated_at: Timestamp,
    /// A operação como ficou no histórico; nula quando nada mudou.
    operation: Option<RecordedOperation>,
    /// O que a operação tocou, como ficou; nulo quando nada mudou.
    changed: Option<Changed>,
}

impl Operation for ApplyProjectOperation {
    const SPEC: Spec = Spec::new(
        "apply_project_operation",
        "Aplicar operação ao projeto",
        Verb::Post,
        "/api/projects/{projectId}/operations",
    )
    .area(Area::Projects)
    .access(Access::MemberAny(&[
        Capability::ProjectsEdit,
        Capability::ProjectsManage,
    ]))
    .about("project", "projectId")
    .fails(&[404])
    .idempotent()
    .links(&[Link {
        operation: "apply_project_operation",
        inputs: &[("expected_revision", "/revision")],
    }])
    .destructive()
    .tool();
    type Output = ProjectChanged;

    fn needs(&self) -> Vec<Capability> {
        vec![self.operation.capability()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<ProjectChanged> {
        let updated_at = self.updated_at()?;
        let db = ctx.db();
        let mut stored = projects::require(&db, self.project_id.as_str()).await?;
        if stored.revision != self.expected_revision
            || updated_at.is_some_and(|at| at != stored.updated_at)
        {
            return Err(projects::stale(&db, &stored.id, self.expected_revision).await?);
        }
        let operation = self.operation.with_new_ids(ctx.now);
        let assigned = assigned(&stored.project, &operation);
        let touched = stored.project.apply(&operation)?;
        require_references(ctx, &operation, &assigned, &touched).await?;
        if touched == Touched::Nothing {
            return Ok(ProjectChanged::of(&stored, None, None));
        }
        let actor = &ctx.caller()?.member;
        let id = projects::save(&db, &mut stored, &operation, &actor.id, ctx.now).await?;
        let (kind, payload) = projects::parts(&operation)?;
        let recorded = RecordedOperation {
            id,
            revision: stored.revision,
            r#type: kind,
            payload,
            actor_member_id: actor.id.clone(),
            actor_name: Some(actor.name.clone()),
            occurred_at: Timestamp(stored.updated_at),
        };
        let changed = Changed::of(touched, &stored.project, &db).await?;
        Ok(ProjectChanged::of(&stored, Some(recorded), changed))
    }
}

impl ApplyProjectOperation {
    fn updated_at(&self) -> Result<Option<Millis>> {
        let read = |text: &String| {
            let instant: jiff::Timestamp = text.parse().map_err(|_| {
                Error::invalid(
                    "expected_updated_at",
                    "format",
                    "deve ser uma data com hora",
                )
            })?;
            Ok(instant.as_millisecond())
        };
        self.expected_updated_at.as_ref().map(read).transpose()
    }
}

/// Who is to do the item that the operation assigns, before it does.
fn assigned(project: &project::Project, operation: &Change) -> Vec<MemberId> {
    let Change::AssignItem { item_id, .. } = operation else {
        return vec![];
    };
    let item = |(at, place): (usize, usize)| -> &Item { &project.sections[at].items[place] };
    let item = project.item(item_id).map(item);
    item.map_or_else(Vec::new, |item| item.assignee_member_ids.clone())
}

/// Refuses (404) members who are not active and events that the caller may not see, where the
/// operation would bring them in, and unknown ones where it finds nothing to take out.
async fn require_references(
    ctx: &Context<'_>,
    operation: &Change,
    assigned: &[MemberId],
    touched: &Touched,
) -> Result<()> {
    let (db, moot) = (ctx.db(), *touched == Touched::Nothing);
    match operation {
        Change::AddItem {
            assignee_member_ids: Some(ids),
            ..
        }
        | Change::AssignItem {
            assignee_member_ids: ids,
            ..
        } => {
            let mut new: Vec<_> = ids.0.iter().filter(|id| !assigned.contains(id)).collect();
            // In one order, so that two callers never wait for each other.
            new.sort_unstable_by_key(|id| id.as_str());
            for id in new {
                members::hold_active(&db, id.as_str()).await?;
            }
        }
        Change::AddMember { member_id } if !moot => {
            members::hold_active(&db, member_id.as_str()).await?;
        }
        Change::RemoveMember { member_id } if moot => {
            members::require(&db, member_id.as_str()).await?;
        }
        Change::LinkEvent { event_id, .. } => {
            events::require_visible(ctx, event_id.as_str()).await?;
        }
        Change::UnlinkEvent { event_id, .. } if moot => {
            events::require_visible(ctx, event_id.as_str()).await?;
        }
        _ => {}
    }
    Ok(())
}

impl ProjectChanged {
    fn of(stored: &Stored, operation: Option<RecordedOperation>, changed: Option<Changed>) -> Self {
        Self {
            ok: true,
            revision: stored.revision,
            api_revision: stored.revision,
            updated_at: Timestamp(stored.updated_at),
            operation,
            changed,
        }
    }
}
