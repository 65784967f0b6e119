use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    agent_view::AgentView,
    daily_use::{DailyLimits, load_uses},
};
use domain::{AgentId, Capability, MemberId, TokenId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use identity::authorization::AGENT;
use store::agents;

/// Define quantas chamadas e imagens por dia um agente pode fazer.
///
/// Substitui os dois limites, que `list_access_members` mostra. Vale em poucos segundos. O dia é o
/// de Brasília.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SetAgentLimits {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Identificador do agente.
    #[serde(rename = "agentId")]
    agent_id: AgentId,
    #[serde(flatten)]
    limits: DailyLimits,
}

/// Agente com os limites novos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentLimitsSet {
    agent: AgentView,
}

impl Operation for SetAgentLimits {
    const SPEC: Spec = Spec::new(
        "set_agent_limits",
        "Definir limites de um agente",
        Verb::Put,
        "/api/access/members/{memberId}/agents/{agentId}/limites",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(AGENT, "agentId")
    .read_by("list_access_members")
    .fails(&[404])
    .extension()
    .locks_out();
    type Output = AgentLimitsSet;

    async fn run(self, ctx: &Context<'_>) -> Result<AgentLimitsSet> {
        let agent = agents::find_for_member(&ctx.db(), &self.member_id, &self.agent_id).await?;
        let absent = || Error::not_found_in("agente", "list_access_members");
        let agent = agent.ok_or_else(absent)?;
        let id = TokenId::from(agent.id.as_str());
        self.limits.save(ctx, &id).await?;
        let uses = load_uses(ctx, [id.as_str()]).await?;
        Ok(AgentLimitsSet {
            agent: AgentView::from_agent(agent, &uses, ctx.now),
        })
    }
}
