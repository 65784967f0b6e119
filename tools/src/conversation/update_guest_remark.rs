use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{REMARK, require_own_guest_remark};
use domain::{GuestRight, RemarkId, VISIBLE};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::remarks;

/// Edita, como pessoa convidada, um comentário próprio.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateGuestRemark {
    /// Id do comentário.
    #[serde(rename = "remarkId")]
    remark_id: RemarkId,
    /// Texto novo.
    #[schemars(length(min = 1, max = 4000), regex(pattern = *VISIBLE))]
    texto: String,
}

/// Comentário editado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestRemarkUpdated {
    ok: bool,
    id: RemarkId,
}

impl Operation for UpdateGuestRemark {
    const SPEC: Spec = Spec::new(
        "update_guest_remark",
        "Editar comentário como convidado",
        Verb::Patch,
        "/api/convidado/comentarios/{remarkId}",
    )
    .access(Access::Guest(Some(GuestRight::Remark)))
    .about(REMARK, "remarkId")
    .read_by("list_guest_pieces")
    .fails(&[404])
    .extension()
    .idempotent()
    .announces_nothing();
    type Output = GuestRemarkUpdated;

    async fn run(self, ctx: &Context<'_>) -> Result<GuestRemarkUpdated> {
        let remark = require_own_guest_remark(ctx, &self.remark_id).await?;
        if self.texto != remark.text {
            remarks::set_text(&ctx.db(), &remark.id, &self.texto, ctx.now).await?;
        }
        Ok(GuestRemarkUpdated {
            ok: true,
            id: remark.id,
        })
    }
}
