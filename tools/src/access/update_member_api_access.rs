use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{API_LEVEL_ABOVE_ROLE, hints, member_access::MemberAccess};
use crate::visibility::MEMBER;
use domain::{Capability, Level, MemberId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{members, tokens};

/// Muda o nível dos tokens pessoais de um membro; vale a partir do próximo pedido.
///
/// O nível não passa do papel do membro. `nenhum` revoga todos os tokens ativos dele; a sessão
/// não muda.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateMemberApiAccess {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Nível novo.
    api_access_level: Level,
}

/// Acesso do membro depois da mudança.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberApiAccessUpdated {
    ok: bool,
    member: MemberAccess,
}

impl Operation for UpdateMemberApiAccess {
    const SPEC: Spec = Spec::new(
        "update_member_api_access",
        "Mudar nível de API de um membro",
        Verb::Patch,
        "/api/access/members/{memberId}",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(MEMBER, "memberId")
    .locks_out()
    .fails(&[404])
    .idempotent()
    .hints(hints::LEVEL);
    type Output = MemberApiAccessUpdated;

    async fn run(self, ctx: &Context<'_>) -> Result<MemberApiAccessUpdated> {
        let db = ctx.db();
        members::lock_member(&db, &self.member_id).await?;
        let mut member = members::require_active(&db, &self.member_id).await?;
        if self.api_access_level > member.role.level() {
            return Err(Error::new(API_LEVEL_ABOVE_ROLE)
                .with_detail("access_level", member.role.as_str().into()));
        }
        let (before, after) = (member.api_access_level, self.api_access_level);
        ctx.note_changes([("api_access_level", json!(before), json!(after))]);
        member.api_access_level = after;
        members::update(&db, &member).await?;
        if member.api_access_level == Level::Nenhum {
            tokens::revoke_all(&db, &member.id, ctx.now).await?;
        }
        let view = MemberAccess::load_all(ctx, vec![member]).await?.pop();
        Ok(MemberApiAccessUpdated {
            ok: true,
            member: view.ok_or_else(|| Error::internal("one member gives one view"))?,
        })
    }
}
