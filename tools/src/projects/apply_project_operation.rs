use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PROJECT, list_project_operations::RecordedOperation, project_view::Changed, typed};
use crate::visibility;
use domain::{
    Capability, ItemId, MemberId, ProjectId, Revision, UpdateToken,
    project::{Item, Project, ProjectOperation},
    time::Timestamp,
};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::{
    members,
    projects::{self, Stored},
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
    operation: ProjectOperation,
    /// A `revision` lida por último.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// O `updated_at` lido por último, para conferir também.
    expected_updated_at: Option<UpdateToken>,
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
    /// O que a operação tocou, como ficou; nulo quando nada mudou. Quando o resultado não caberia
    /// em uma ferramenta, vem nulo também, e `operation` sem as notas.
    changed: Option<Changed>,
}

impl Operation for ApplyProjectOperation {
    const SPEC: Spec = Spec::new(
        "apply_project_operation",
        "Aplicar operação ao projeto",
        Verb::Post,
        "/api/projects/{projectId}/operations",
    )
    .area(super::AREA)
    .access(Access::MemberAny(&[
        Capability::ProjectsEdit,
        Capability::ProjectsManage,
    ]))
    .about(PROJECT, "projectId")
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
        self.operation.require_sound()?;
        let db = ctx.db();
        let mut stored = projects::require(&db, &self.project_id).await?;
        let token = self.expected_updated_at;
        if stored.revision != self.expected_revision
            || token.is_some_and(|token| token.instant() != stored.updated_at)
        {
            return Err(projects::stale(&db, &stored.id, self.expected_revision).await?);
        }
        stored.project.require_named(&self.operation)?;
        require_references(ctx, &stored.project, &self.operation).await?;
        let mut former = stored.project.awakened(&self.operation);
        let active = members::hold_active(&db, &former).await?;
        former.retain(|id| !active.contains(id));
        let operation = self.operation.with_new_ids(ctx.now);
        let operation = operation.without(former.into_iter().collect());
        let touched = stored.project.apply(&operation)?;
        let Some(changed) = Changed::of(touched, &stored.project, &db).await? else {
            return Ok(ProjectChanged::of(&stored, None, None));
        };
        let actor = &ctx.caller()?.member;
        let line = projects::save(&db, &mut stored, &operation, &actor.id, ctx.now).await?;
        let recorded = RecordedOperation {
            id: line.id,
            revision: stored.revision,
            r#type: line.kind,
            payload: line.payload,
            actor_member_id: actor.id.clone(),
            actor_name: Some(actor.name.clone()),
            occurred_at: Timestamp(stored.updated_at),
        };
        Ok(ProjectChanged::of(&stored, Some(recorded), Some(changed)))
    }

    /// `get_project` tells what changed, and notes are what makes a payload long.
    fn shorten(answer: &mut Value) -> bool {
        answer["changed"] = Value::Null;
        let payload = answer["operation"]["payload"].as_object_mut();
        payload.map(|payload| payload.remove("notes"));
        true
    }
}

/// Refuses (404) events that the caller may not see, members who are not active where the operation
/// would bring them in, and unknown members where it finds nobody to take out.
async fn require_references(
    ctx: &Context<'_>,
    project: &Project,
    operation: &ProjectOperation,
) -> Result<()> {
    let db = ctx.db();
    match operation {
        ProjectOperation::AddItem {
            assignee_member_ids: Some(ids),
            ..
        } => Ok(members::require_all_active(&db, &ids.0).await?),
        ProjectOperation::AssignItem {
            item_id,
            assignee_member_ids: ids,
        } => {
            let assigned = found(project, item_id).map(|item| &item.assignee_member_ids);
            let is_new = |id: &&MemberId| assigned.is_none_or(|ids| !ids.contains(id));
            Ok(members::require_all_active(&db, ids.0.iter().filter(is_new)).await?)
        }
        ProjectOperation::AddMember { member_id } if !project.members.contains(member_id) => {
            Ok(members::require_all_active(&db, [member_id]).await?)
        }
        ProjectOperation::RemoveMember { member_id } if !project.involves(member_id) => {
            Ok(members::require(&db, member_id).await.map(drop)?)
        }
        ProjectOperation::LinkEvent { event_id, .. }
        | ProjectOperation::UnlinkEvent { event_id, .. } => {
            visibility::event(ctx, event_id).await.map(drop)
        }
        _ => Ok(()),
    }
}

fn found<'p>(project: &'p Project, id: &ItemId) -> Option<&'p Item> {
    let (at, place) = project.item(id)?;
    Some(&project.sections[at].items[place])
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
