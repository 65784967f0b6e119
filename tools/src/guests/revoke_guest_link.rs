use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GUEST_LINK;
use domain::{Capability, GuestLinkId};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::guest_links;

/// Revoga um link de convidado, já no próximo pedido. Repetir não muda nada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeGuestLink {
    /// Identificador do link.
    #[serde(rename = "linkId")]
    link_id: GuestLinkId,
}

/// Link revogado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestLinkRevoked {
    ok: bool,
    id: GuestLinkId,
}

impl Operation for RevokeGuestLink {
    const SPEC: Spec = Spec::new(
        "revoke_guest_link",
        "Revogar link de convidado",
        Verb::Delete,
        "/api/convidados/{linkId}",
    )
    .access(Access::Session(Capability::Approve))
    .about(GUEST_LINK, "linkId")
    .fails(&[404])
    .extension();
    type Output = GuestLinkRevoked;

    async fn run(self, ctx: &Context<'_>) -> Result<GuestLinkRevoked> {
        let db = ctx.db();
        let link = guest_links::require(&db, &self.link_id).await?;
        let member_id = &ctx.caller()?.member.id;
        guest_links::revoke(&db, &link.id, member_id, ctx.now).await?;
        Ok(GuestLinkRevoked {
            ok: true,
            id: link.id,
        })
    }
}
