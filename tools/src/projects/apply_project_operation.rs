use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    PROJECT, change, hints, list_project_operations::RecordedOperation, project_view::Changed,
    typed,
};
use domain::{
    Capability, ProjectId, Revision, UpdateToken, project::ProjectOperation, time::Timestamp,
};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::projects::Stored;

/// Muda um projeto com uma operação; várias: `apply_project_operations`.
///
/// `STALE_REVISION` traz em `details.since` o que mudou: se não toca no mesmo item ou seção, repita
/// com `details.current`. `project.*` e `member.*` pedem a permissão `projects_manage`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = typed::add_general_fields)]
pub struct ApplyProjectOperation {
    /// Id do projeto.
    #[serde(rename = "projectId")]
    project_id: ProjectId,
    #[serde(flatten)]
    operation: ProjectOperation,
    /// A `revision` lida.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// O `updated_at` lido, também.
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
    .access(Access::MemberAny(&[
        Capability::ProjectsEdit,
        Capability::ProjectsManage,
    ]))
    .about(PROJECT, "projectId")
    .read_by("get_project")
    .fails(&[404])
    .idempotent()
    .links(&[Link {
        operation: "apply_project_operation",
        inputs: &[("expected_revision", "/revision")],
    }])
    .hints(hints::APPLY)
    .destructive()
    .tool();
    type Output = ProjectChanged;

    fn required_capabilities(&self) -> Vec<Capability> {
        vec![self.operation.required_capability()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<ProjectChanged> {
        self.operation.require_valid()?;
        let token = self.expected_updated_at;
        let id = &self.project_id;
        let mut stored =
            change::require_current_project(ctx, id, self.expected_revision, token).await?;
        let links = change::linked_events(&stored);
        let Some((operation, changed)) =
            change::apply_operation(ctx, &mut stored, self.operation).await?
        else {
            return Ok(ProjectChanged::from_stored(&stored, None, None));
        };
        let recorded = change::save_operation(ctx, &mut stored, &operation, &links).await?;
        Ok(ProjectChanged::from_stored(
            &stored,
            Some(recorded),
            Some(changed),
        ))
    }

    /// Removes `changed` and the notes from a response that is too long for a tool. `get_project`
    /// returns them.
    fn omit_separately_readable_parts(answer: &mut Value) -> bool {
        answer["changed"] = Value::Null;
        change::remove_notes(&mut answer["operation"]);
        true
    }
}

impl ProjectChanged {
    fn from_stored(
        stored: &Stored,
        operation: Option<RecordedOperation>,
        changed: Option<Changed>,
    ) -> Self {
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
