use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    PROJECT, change, hints, list_project_operations::RecordedOperation, project_view::Changed,
    steps::Steps,
};
use domain::{Capability, ProjectId, Revision, project::ProjectOperation, time::Timestamp};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};

/// Aplica de 1 a 50 operações a um projeto, em ordem: todas ou nenhuma, em uma só revisão. Os tipos
/// e campos são os de `apply_project_operation`.
///
/// `$0` é o id do que a primeira acrescentou, `$1` o da segunda:
/// `[{"type":"section.add","payload":{"title":"Gravação"}},{"type":"item.add","payload":{"section_id":"$0","title":"Roteiro"}}]`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ApplyProjectOperations {
    /// Id do projeto.
    #[serde(rename = "projectId")]
    project_id: ProjectId,
    /// Em ordem.
    operations: Steps,
    /// A `revision` lida.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
}

/// Operações aplicadas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OperationsApplied {
    ok: bool,
    /// A revisão a enviar na próxima mudança.
    revision: Revision,
    /// O mesmo que `revision`.
    api_revision: Revision,
    updated_at: Timestamp,
    /// A linha do histórico, com as operações que mudaram algo; nula quando nada mudou.
    operation: Option<RecordedOperation>,
    /// Por operação, na ordem pedida, o que ela tocou; nulo quando nada mudou. Quando o resultado
    /// não caberia em uma ferramenta, vem vazio, e `operation` sem as notas.
    changed: Vec<Option<Changed>>,
}

impl Operation for ApplyProjectOperations {
    const SPEC: Spec = Spec::new(
        "apply_project_operations",
        "Aplicar operações ao projeto",
        Verb::Post,
        "/api/projects/{projectId}/batch",
    )
    .access(Access::MemberAny(&[
        Capability::ProjectsEdit,
        Capability::ProjectsManage,
    ]))
    .about(PROJECT, "projectId")
    .read_by("get_project")
    .fails(&[404])
    .extension()
    .idempotent()
    .links(&[Link {
        operation: "apply_project_operation",
        inputs: &[("expected_revision", "/revision")],
    }])
    .hints(hints::BATCH)
    .destructive()
    .tool();
    type Output = OperationsApplied;

    fn required_capabilities(&self) -> Vec<Capability> {
        self.operations.needed_capabilities()
    }

    async fn run(self, ctx: &Context<'_>) -> Result<OperationsApplied> {
        let id = &self.project_id;
        let mut stored =
            change::require_current_project(ctx, id, self.expected_revision, None).await?;
        let links = change::linked_events(&stored);
        let (mut applied, mut changes) = (vec![], vec![]);
        let mut made = vec![];
        for step in self.operations.0 {
            let at = made.len();
            let name_operation =
                |refused: gateway::Error| refused.with_detail("operation", at.into());
            let operation = step.resolve_placeholders(&made).map_err(name_operation)?;
            operation
                .require_valid()
                .map_err(|refused| name_operation(refused.into()))?;
            let outcome = change::apply_operation(ctx, &mut stored, operation)
                .await
                .map_err(name_operation)?;
            let (operation, changed) = outcome.unzip();
            made.push(operation.as_ref().and_then(ProjectOperation::added_id));
            applied.extend(operation);
            changes.push(changed);
        }
        let recorded = if applied.is_empty() {
            None
        } else {
            let batch = ProjectOperation::Batch {
                operations: applied,
            };
            Some(change::save_operation(ctx, &mut stored, &batch, &links).await?)
        };
        Ok(OperationsApplied {
            ok: true,
            revision: stored.revision,
            api_revision: stored.revision,
            updated_at: Timestamp(stored.updated_at),
            operation: recorded,
            changed: changes,
        })
    }

    /// Removes `changed` and the notes from a response that is too long for a tool. `get_project`
    /// returns them.
    fn omit_separately_readable_parts(answer: &mut Value) -> bool {
        answer["changed"] = Value::Array(vec![]);
        let operations = answer.pointer_mut("/operation/payload/operations");
        let operations = operations.and_then(Value::as_array_mut);
        operations
            .into_iter()
            .flatten()
            .for_each(change::remove_notes);
        true
    }
}
