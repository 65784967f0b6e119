use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{REMARK, WRITERS, not_found, require_own_remark, require_remark};
use domain::RemarkId;
use gateway::{Context, Operation, Result, Spec, Verb};
use store::{events, remarks};

/// Remove um comentário próprio, sem volta.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RemoveRemark {
    /// Id do comentário.
    #[serde(rename = "remarkId")]
    remark_id: RemarkId,
}

/// Comentário removido.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemarkRemoved {
    ok: bool,
    id: RemarkId,
}

impl Operation for RemoveRemark {
    const SPEC: Spec = Spec::new(
        "remove_remark",
        "Remover comentário",
        Verb::Delete,
        "/api/comentarios/{remarkId}",
    )
    .access(WRITERS)
    .about(REMARK, "remarkId")
    .fails(&[404])
    .extension()
    .asks_first("Remover este comentário? O texto não volta.")
    .tool()
    .announces_nothing();
    type Output = RemarkRemoved;

    async fn run(self, ctx: &Context<'_>) -> Result<RemarkRemoved> {
        let remark = require_remark(ctx, &self.remark_id).await?;
        require_own_remark(ctx, &remark)?;
        let db = ctx.db();
        events::lock_event(&db, &remark.event_id).await?;
        match remarks::remove(&db, &remark, &ctx.caller()?.member.id, ctx.now).await? {
            true => Ok(RemarkRemoved {
                ok: true,
                id: remark.id,
            }),
            false => Err(not_found()),
        }
    }
}
