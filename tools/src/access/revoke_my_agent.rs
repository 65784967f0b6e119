use schemars::JsonSchema;
use serde::Deserialize;

use super::{agent_view::AgentRevoked, revoke_member_agent::revoke_agent};
use domain::AgentId;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use identity::authorization::AGENT;

/// Encerra o acesso de um agente que quem chama ligou; vale a partir do próximo pedido.
///
/// Repetir não muda mais nada. Um agente de outra pessoa não é encontrado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeMyAgent {
    /// Identificador do agente.
    #[serde(rename = "agentId")]
    agent_id: AgentId,
}

impl Operation for RevokeMyAgent {
    const SPEC: Spec = Spec::new(
        "revoke_my_agent",
        "Encerrar o acesso de meu agente",
        Verb::Delete,
        "/api/access/agents/{agentId}",
    )
    .access(Access::AnySession)
    .about(AGENT, "agentId")
    .locks_out()
    .fails(&[404])
    .extension();
    type Output = AgentRevoked;

    async fn run(self, ctx: &Context<'_>) -> Result<AgentRevoked> {
        revoke_agent(ctx, &ctx.caller()?.member.id, &self.agent_id).await
    }
}
