use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    agent_view::{AgentRevoked, AgentView},
    daily_use::load_uses,
};
use domain::{AgentId, Capability, MemberId};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use identity::authorization::AGENT;
use store::agents;

/// Encerra o acesso de um agente que um membro ligou, e só dele.
///
/// A auditoria fica. Repetir não muda mais nada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeMemberAgent {
    /// Id do membro.
    #[serde(rename = "memberId")]
    member_id: MemberId,
    /// Identificador do agente.
    #[serde(rename = "agentId")]
    agent_id: AgentId,
}

impl Operation for RevokeMemberAgent {
    const SPEC: Spec = Spec::new(
        "revoke_member_agent",
        "Encerrar o acesso do agente de um membro",
        Verb::Delete,
        "/api/access/members/{memberId}/agents/{agentId}",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(AGENT, "agentId")
    .locks_out()
    .fails(&[404])
    .extension();
    type Output = AgentRevoked;

    async fn run(self, ctx: &Context<'_>) -> Result<AgentRevoked> {
        revoke_agent(ctx, &self.member_id, &self.agent_id).await
    }
}

/// Ends the agent's access. Refuses (404) an agent that does not belong to the member.
pub(super) async fn revoke_agent(
    ctx: &Context<'_>,
    member_id: &MemberId,
    agent_id: &AgentId,
) -> Result<AgentRevoked> {
    let db = ctx.db();
    let found = || agents::find_for_member(&db, member_id, agent_id);
    let absent = || Error::not_found_in("agente", "list_access_members");
    found().await?.ok_or_else(absent)?;
    agents::revoke(&db, agent_id, ctx.now).await?;
    let agent = found().await?.ok_or_else(absent)?;
    let uses = load_uses(ctx, [agent_id.as_str()]).await?;
    Ok(AgentRevoked {
        ok: true,
        agent: AgentView::from_agent(agent, &uses, ctx.now),
    })
}
