//! A connected agent as shown in responses.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use domain::{
    AgentId, Capability, ClientId, TokenId,
    time::{Millis, Timestamp},
};
use store::{agents::Agent, budgets::BudgetState};

use super::{daily_use::DailyUse, token_view::TokenStatus};

/// Agente que uma pessoa ligou por OAuth.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AgentView {
    pub(super) id: AgentId,
    /// Nome que o aplicativo dá a si mesmo.
    client_name: String,
    /// Identificação do aplicativo.
    client_id: ClientId,
    /// Para onde o acesso foi dado.
    redirect_host: String,
    /// Permissões dadas; o nível de API e o papel limitam as que valem agora.
    scopes: Vec<Capability>,
    created_at: Timestamp,
    expires_at: Timestamp,
    /// Último uso, aproximado.
    last_used_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    status: TokenStatus,
    uso_hoje: DailyUse,
}

impl AgentView {
    /// Builds the view. `uses` contains the daily limits and today's use, by agent.
    pub(super) fn from_agent(
        agent: Agent,
        uses: &HashMap<TokenId, BudgetState>,
        now: Millis,
    ) -> Self {
        let status = if agent.revoked_at.is_some() {
            TokenStatus::Revoked
        } else if agent.expires_at <= now {
            TokenStatus::Expired
        } else {
            TokenStatus::Active
        };
        Self {
            uso_hoje: uses
                .get(agent.id.as_str())
                .copied()
                .unwrap_or_default()
                .into(),
            id: agent.id,
            client_name: agent.client_name,
            client_id: agent.client_id,
            redirect_host: agent.redirect_host,
            scopes: agent.scopes.iter().collect(),
            created_at: Timestamp(agent.created_at),
            expires_at: Timestamp(agent.expires_at),
            last_used_at: agent.last_used_at.map(Timestamp),
            revoked_at: agent.revoked_at.map(Timestamp),
            status,
        }
    }
}

/// Agente depois da revogação.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentRevoked {
    pub(super) ok: bool,
    pub(super) agent: AgentView,
}
