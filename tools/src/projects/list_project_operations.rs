use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PROJECT;
use domain::{
    Capability, Cursor, Limit, ListPage, MemberId, ProjectId, ProjectOperationId, Revision,
    time::Timestamp,
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{members, projects};

/// Lista o histórico de um projeto, as operações novas antes.
///
/// As que acrescentam trazem no `payload` o id gerado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListProjectOperations {
    /// Id do projeto.
    #[serde(rename = "projectId")]
    project_id: ProjectId,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Histórico de um projeto.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectHistory {
    operations: Vec<RecordedOperation>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Uma operação aplicada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedOperation {
    pub(super) id: ProjectOperationId,
    /// A revisão a que ela levou.
    pub(super) revision: Revision,
    pub(super) r#type: String,
    /// O que foi pedido, com o que o serviço acrescentou: identificadores gerados e, em `item.reopen`
    /// e `project.restore`, em `former_member_ids`, quem já saiu da equipe e por isso não volta a ter o
    /// que fazer. `project.batch` traz em `operations` as de uma só chamada.
    pub(super) payload: Map<String, Value>,
    pub(super) actor_member_id: MemberId,
    pub(super) actor_name: Option<String>,
    pub(super) occurred_at: Timestamp,
}

impl Operation for ListProjectOperations {
    const SPEC: Spec = Spec::new(
        "list_project_operations",
        "Listar histórico do projeto",
        Verb::Get,
        "/api/projects/{projectId}/operations",
    )
    .access(Access::Member(Capability::ProjectsAuditView))
    .about(PROJECT, "projectId")
    .fails(&[404])
    .tool()
    .quotes();
    type Output = ProjectHistory;

    async fn run(self, ctx: &Context<'_>) -> Result<ProjectHistory> {
        let (db, id) = (ctx.db(), &self.project_id);
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        projects::require_exists(&db, id).await?;
        let rows = projects::list_history(&db, id, before, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| row.revision);
        let actors = page.rows.iter().map(|row| &row.actor_member_id);
        let names = members::load_names(&db, actors.collect()).await?;
        let read = |row: projects::Stated| -> Result<RecordedOperation> {
            Ok(RecordedOperation {
                payload: serde_json::from_str(&row.payload)?,
                actor_name: names.get(&row.actor_member_id).cloned(),
                id: row.id,
                revision: row.revision,
                r#type: row.r#type,
                actor_member_id: row.actor_member_id,
                occurred_at: Timestamp(row.occurred_at),
            })
        };
        Ok(ProjectHistory {
            operations: page.rows.into_iter().map(read).collect::<Result<_>>()?,
            next_cursor: page.next_cursor,
        })
    }
}
