use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{REMARK, guest_remark_not_found, require_own_guest_remark};
use domain::{GuestRight, RemarkId};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::remarks;

/// Remove, como pessoa convidada, um comentário próprio, sem volta.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RemoveGuestRemark {
    /// Id do comentário.
    #[serde(rename = "remarkId")]
    remark_id: RemarkId,
}

/// Comentário removido.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestRemarkRemoved {
    ok: bool,
    id: RemarkId,
}

impl Operation for RemoveGuestRemark {
    const SPEC: Spec = Spec::new(
        "remove_guest_remark",
        "Remover comentário como convidado",
        Verb::Delete,
        "/api/convidado/comentarios/{remarkId}",
    )
    .access(Access::Guest(Some(GuestRight::Remark)))
    .about(REMARK, "remarkId")
    .read_by("list_guest_pieces")
    .fails(&[404])
    .extension()
    .announces_nothing();
    type Output = GuestRemarkRemoved;

    async fn run(self, ctx: &Context<'_>) -> Result<GuestRemarkRemoved> {
        let remark = require_own_guest_remark(ctx, &self.remark_id).await?;
        let member = &ctx.caller()?.member.id;
        match remarks::remove(&ctx.db(), &remark, member, ctx.now).await? {
            true => Ok(GuestRemarkRemoved {
                ok: true,
                id: remark.id,
            }),
            false => Err(guest_remark_not_found()),
        }
    }
}
