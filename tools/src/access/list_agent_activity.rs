use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{
    Capability, EventStatus, Revision,
    time::{DAY, LocalDay, Timestamp, brasilia_day, start_of_day},
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::agent_activity::{self, AgentAction, Sight};

/// Maximum actions in the answer.
const MOST: usize = 50;
/// How many days ago the first day may be. Audit rows are read in the order of their time, so an
/// earlier first day would make the query read more rows.
const MOST_DAYS: i64 = 30;

/// Lista o que agentes e tokens pessoais mudaram, desde ontem ou desde um dia, do mais novo ao mais antigo.
///
/// Traz as mudanças dos agentes de quem chama; para quem vê toda a agenda, também as de outros nos
/// eventos; para quem administra os acessos, todas. São no máximo 50.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListAgentActivity {
    /// Só o que fizeram os agentes e tokens de quem chama.
    #[serde(default)]
    meus: bool,
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
    /// A operação que desfaz a mudança; nulo se nenhuma desfaz.
    undo: Option<Undo>,
}

/// Uma operação que desfaz uma mudança.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    ReopenEvent,
    SaveDraft,
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
        let since = since.max(today - MOST_DAYS * DAY);
        let probe = i64::try_from(MOST).unwrap_or(i64::MAX).saturating_add(1);
        let mut rows =
            agent_activity::list(&ctx.db(), &member.id, (sight, self.meus), since, probe).await?;
        let ha_mais = rows.len() > MOST;
        rows.truncate(MOST);
        Ok(AgentActivity {
            mudancas: rows.into_iter().map(AgentChange::from_action).collect(),
            ha_mais,
        })
    }
}

impl AgentChange {
    fn from_action(row: AgentAction) -> Self {
        Self {
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

/// The operation that undoes an action; `None` if there is none, or if the status of the event does
/// not allow it.
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
        _ => None,
    }
}
