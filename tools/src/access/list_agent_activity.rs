use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{
    Capability, EventStatus, MemberId, Revision,
    time::{DAY, LocalDay, Timestamp, brasilia_day, start_of_day},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{
    agent_activity::{self, AgentAction, Sight, Wanted},
    history::{self, ChangedAt, FieldChanges},
};

/// Maximum actions in the answer.
const MOST: usize = 50;
/// Maximum actions of one agent in an answer with `por_agente`.
const MOST_OF_AGENT: i64 = 5;
/// Maximum actions of all agents together in an answer with `por_agente`.
const MOST_BY_AGENTS: usize = 1_000;
/// The earliest first day, in days before today. Audit rows are read in the order of their time, so an
/// earlier first day would make the query read more rows.
const MOST_DAYS: i64 = 30;

/// Lista o que agentes e tokens pessoais mudaram, desde ontem ou desde um dia, do mais novo ao mais antigo.
///
/// Traz as mudanças dos agentes de quem chama; para quem vê toda a agenda, também as de outros nos
/// eventos; para quem administra os acessos, todas. São no máximo 50 ou, com `por_agente`, as 5 mais
/// novas de cada agente.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListAgentActivity {
    /// Só o que fizeram os agentes e tokens de quem chama.
    #[serde(default)]
    meus: bool,
    /// Só o que fizeram os agentes e tokens deste membro: `id` de `list_team`.
    member_id: Option<MemberId>,
    /// As 5 mais novas de cada agente, e quantas ele fez, em vez das 50 mais novas de todos.
    #[serde(default)]
    por_agente: bool,
    /// Primeiro dia (AAAA-MM-DD), no horário de Brasília; ausente, ontem. Nada de mais de 30 dias
    /// atrás.
    de: Option<LocalDay>,
}

/// O que agentes mudaram.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentActivity {
    mudancas: Vec<AgentChange>,
    /// Verdadeiro quando há mais mudanças do que as listadas.
    ha_mais: bool,
}

/// Uma mudança que um agente fez.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentChange {
    occurred_at: Timestamp,
    /// Id do agente ou token.
    agent_id: String,
    /// Nome do agente ou rótulo do token.
    agent: Option<String>,
    /// Nome do membro por quem o agente age.
    actor_name: String,
    /// O nome da operação.
    action: String,
    resource_type: Option<String>,
    resource_id: Option<String>,
    /// O título do evento, se quem chama o vê.
    title: Option<String>,
    /// A revisão atual do evento.
    api_revision: Option<Revision>,
    /// A revisão que a mudança deu ao evento.
    #[serde(skip_serializing_if = "Option::is_none")]
    revisao: Option<Revision>,
    /// O status a que a mudança levou o evento; ausente se não o mudou ou quem chama não o vê.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<EventStatus>,
    /// Na decisão de um evento, o que foi decidido, se não foi aprovar nem recusar: `pedir_ajustes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    decisao: Option<String>,
    /// Com `por_agente`, quantas mudanças o agente fez desde o primeiro dia.
    #[serde(skip_serializing_if = "Option::is_none")]
    do_agente: Option<i64>,
    /// A operação que desfaz a mudança; nulo se nenhuma desfaz.
    undo: Option<Undo>,
}

/// Uma operação que desfaz uma mudança.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    ReopenEvent,
    SaveDraft,
    /// Arquivar, com `status`.
    UpdateEvent,
}

impl Operation for ListAgentActivity {
    const SPEC: Spec = Spec::new(
        "list_agent_activity",
        "Listar o que agentes fizeram",
        Verb::Get,
        "/api/access/agents/atividade",
    )
    .access(Access::AnySession)
    .extension();
    type Output = AgentActivity;

    async fn run(self, ctx: &Context<'_>) -> Result<AgentActivity> {
        let caller = ctx.caller()?;
        let member = &caller.member;
        let sight = if caller.has_capability(Capability::TeamAdmin) {
            Sight::All
        } else if member.sees_all_events() {
            Sight::Events
        } else {
            Sight::Own
        };
        let today = start_of_day(brasilia_day(ctx.now));
        let since = self.de.map_or(today - DAY, |day| start_of_day(day.0));
        let most = match self.por_agente {
            true => MOST_BY_AGENTS,
            false => MOST,
        };
        let wanted = Wanted {
            viewer: &member.id,
            sight,
            members: [self.member_id.as_ref(), self.meus.then_some(&member.id)],
            most_of_agent: self.por_agente.then_some(MOST_OF_AGENT),
            since: since.max(today - MOST_DAYS * DAY),
            probe: i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1),
        };
        let mut rows = agent_activity::list(&ctx.db(), &wanted).await?;
        let is_cut = |row: &AgentAction| row.of_agent.is_some_and(|count| count > MOST_OF_AGENT);
        let ha_mais = rows.len() > most || rows.iter().any(is_cut);
        rows.truncate(most);
        let changes: HashSet<_> = rows.iter().filter_map(AgentAction::event_change).collect();
        let changes = history::load_state_changes(&ctx.db(), &changes).await?;
        Ok(AgentActivity {
            mudancas: rows
                .into_iter()
                .map(|row| AgentChange::from_action(row, &changes))
                .collect(),
            ha_mais,
        })
    }
}

impl AgentChange {
    fn from_action(
        row: AgentAction,
        changes: &HashMap<ChangedAt, (Revision, FieldChanges)>,
    ) -> Self {
        let change = row.event_change().and_then(|change| changes.get(&change));
        let after = |field| change.and_then(|(_, change)| change.0.get(field)?["after"].as_str());
        let decision = after("decision").filter(|decision| *decision == "pedir_ajustes");
        Self {
            status: after("status").and_then(|status| status.parse().ok()),
            decisao: decision.map(str::to_owned),
            revisao: change.map(|(revision, _)| *revision),
            do_agente: row.of_agent,
            undo: undo_operation(&row),
            occurred_at: Timestamp(row.occurred_at),
            agent_id: row.agent_id,
            agent: row.agent,
            actor_name: row.actor_name,
            action: row.action,
            resource_type: row.resource_type,
            resource_id: row.resource_id,
            title: row.title,
            api_revision: row.api_revision,
        }
    }
}

/// Returns the operation that undoes an action; `None` if there is none, or if the status of the event
/// does not allow it.
fn undo_operation(row: &AgentAction) -> Option<Undo> {
    let is_editable = || {
        EventStatus::EDITABLE
            .iter()
            .any(|s| row.event_has_status(*s))
    };
    match row.action.as_str() {
        "submit_for_approval" if row.event_has_status(EventStatus::InApproval) => {
            Some(Undo::ReopenEvent)
        }
        "save_draft" if is_editable() => Some(Undo::SaveDraft),
        "create_demand" if is_editable() => Some(Undo::UpdateEvent),
        _ => None,
    }
}
