use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::offboarding::{Pending, clean_up_offboarding, revoke_access};
use crate::visibility::MEMBER;
use domain::{Capability, MemberId};
use gateway::{Access, Context, Operation, Result, Spec, Verb};

/// Desliga um membro: encerra sessões e tokens na hora e o tira das tarefas em andamento.
///
/// Autoria, comentários e histórico ficam. Com 207, o acesso já está revogado e `pendente` diz o
/// que falta: repita a mesma chamada para concluir. Recusado para o último admin ativo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct OffboardMember {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
}

/// Desligamento, completo ou com limpeza pendente.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberOffboarded {
    /// Falso enquanto falta limpar.
    ok: bool,
    member_id: MemberId,
    /// Presente quando falta limpar: o acesso já está revogado.
    #[serde(skip_serializing_if = "Option::is_none")]
    acesso_revogado: Option<bool>,
    /// O que falta.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pendente: Vec<Pending>,
}

impl Operation for OffboardMember {
    const SPEC: Spec = Spec::new(
        "offboard_member",
        "Desligar membro",
        Verb::Delete,
        "/api/membros/{memberId}",
    )
    .access(Access::Session(Capability::Members))
    .about(MEMBER, "memberId")
    .locks_out()
    .partial(&[207])
    .fails(&[404])
    .outside();
    type Output = MemberOffboarded;

    async fn run(self, ctx: &Context<'_>) -> Result<MemberOffboarded> {
        let member = revoke_access(ctx, &self.member_id).await?;
        let pendente = if member.cleanup_pending {
            clean_up_offboarding(ctx, &member, Self::SPEC.name).await?
        } else {
            vec![]
        };
        let ok = pendente.is_empty();
        Ok(MemberOffboarded {
            ok,
            member_id: member.id,
            acesso_revogado: (!ok).then_some(true),
            pendente,
        })
    }

    fn status(output: &MemberOffboarded) -> u16 {
        if output.ok { 200 } else { 207 }
    }
}
