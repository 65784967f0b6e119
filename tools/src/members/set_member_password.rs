use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_subject;
use crate::visibility::MEMBER;
use domain::{Capability, MemberId};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{accounts, members};

/// Define uma senha nova para um membro e encerra as sessões dele.
///
/// Revoga também os tokens pessoais do membro; com `revoke_tokens` falso, eles ficam como estão.
/// Recusada quando tem menos de 12 caracteres, é comum ou repete o nome ou o e-mail da pessoa.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SetMemberPassword {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Senha nova.
    #[schemars(length(min = 1, max = 256))]
    senha: String,
    /// Se os tokens pessoais e os endereços de calendário do membro são revogados também.
    #[serde(default = "revoke_tokens_by_default")]
    revoke_tokens: bool,
}

fn revoke_tokens_by_default() -> bool {
    true
}

/// Senha definida.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberPasswordSet {
    ok: bool,
    member_id: MemberId,
    /// Quantos tokens pessoais foram revogados.
    revoked_tokens: usize,
}

impl Operation for SetMemberPassword {
    const SPEC: Spec = Spec::new(
        "set_member_password",
        "Definir senha de um membro",
        Verb::Post,
        "/api/membros/{memberId}/senha",
    )
    .access(Access::Session(Capability::Members))
    .about(MEMBER, "memberId")
    .locks_out()
    .fails(&[404, 409])
    .outside()
    .unkeyed()
    .idempotent();
    type Output = MemberPasswordSet;

    async fn run(self, ctx: &Context<'_>) -> Result<MemberPasswordSet> {
        let member = members::require_active(&ctx.db(), &self.member_id).await?;
        let identity = &ctx.services.identity;
        let subject = find_subject(ctx.services, &ctx.db(), &member.id).await?;
        let hash = identity
            .set_password(&member, subject.as_deref(), &self.senha)
            .await?;
        let tx = ctx.begin().await?;
        let db = tx.conn();
        members::lock_member(&db, &member.id).await?;
        let member = members::require_active(&db, &member.id).await?;
        if let Some(hash) = &hash {
            accounts::create_account_if_absent(&db, &member.user_id, ctx.now).await?;
            accounts::set_password(&db, &member.user_id, Some(hash), ctx.now).await?;
        }
        accounts::end_sessions(&db, &member.user_id, ctx.now).await?;
        let revoked_tokens = if self.revoke_tokens {
            identity::revoke_all_tokens(ctx, &db, &Self::SPEC, &member.id).await?
        } else {
            0
        };
        tx.commit().await?;
        Ok(MemberPasswordSet {
            ok: true,
            member_id: member.id,
            revoked_tokens,
        })
    }
}
