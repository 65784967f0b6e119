use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{hints, lock_member, member_view::MemberView, require_other_admin};
use crate::visibility::MEMBER;
use domain::{Capability, MemberId, Role};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{guest_links, members};

/// Muda o papel de um membro ou a permissão de ver vendas; vale a partir do próximo pedido.
///
/// Um nível de API acima do papel novo fica limitado por ele. Recusado quando a equipe ficaria sem
/// admin ativo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateMember {
    /// Id do membro.
    member_id: MemberId,
    /// Papel novo; ausente, fica o atual.
    access_level: Option<Role>,
    /// Se a pessoa vê os painéis de vendas; ausente, fica como está.
    financeiro: Option<bool>,
}

/// Membro depois da mudança.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberUpdated {
    ok: bool,
    membro: MemberView,
}

impl Operation for UpdateMember {
    const SPEC: Spec = Spec::new(
        "update_member",
        "Mudar papel ou permissão financeira",
        Verb::Patch,
        "/api/membros",
    )
    .access(Access::Session(Capability::Members))
    .about(MEMBER, "member_id")
    .locks_out()
    .fails(&[404])
    .idempotent()
    .hints(hints::UPDATE);
    type Output = MemberUpdated;

    async fn run(self, ctx: &Context<'_>) -> Result<MemberUpdated> {
        let db = ctx.db();
        let mut member = lock_member(&db, &self.member_id).await?;
        if !member.active {
            return Err(Error::not_found_in("membro ativo", "list_members"));
        }
        let role = self.access_level.unwrap_or(member.role);
        if role != Role::Admin {
            require_other_admin(ctx.services, &db, &member).await?;
        }
        let financeiro = self.financeiro.unwrap_or(member.financeiro);
        ctx.note_changes([
            ("access_level", json!(member.role), json!(role)),
            ("financeiro", json!(member.financeiro), json!(financeiro)),
        ]);
        member.role = role;
        member.financeiro = financeiro;
        members::update(&db, &member).await?;
        if !member.session_capabilities().contains(Capability::Approve) {
            // Only members who may approve may invite guests, so the guest links of this member are
            // revoked.
            guest_links::revoke_all_of(&db, &member.id, &ctx.caller()?.member.id, ctx.now).await?;
        }
        Ok(MemberUpdated {
            ok: true,
            membro: member.into(),
        })
    }
}
