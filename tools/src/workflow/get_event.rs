use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::event_view::EventView;
use crate::visibility::{self, EVENT};
use domain::{
    Capability, Cursor, EventChangeId, EventId, Limit, ListPage, MemberId, Revision,
    time::Timestamp,
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::history;

/// Lê um evento com legenda, mídias, revisão atual e histórico de mudanças, da mais nova à mais
/// antiga.
///
/// Leia antes de cada escrita: `save_draft`, `submit_for_approval` e `update_event` pedem o
/// `api_revision` que vem aqui. `description` é a legenda (`caption` nas escritas), `briefing` a
/// `description` da demanda, `editorial_tag` o `tipo`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetEvent {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// Quantas linhas de histórico por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` da página anterior do histórico.
    cursor: Option<Cursor>,
}

/// Evento e histórico.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventWithHistory {
    evento: EventView,
    historico: Vec<HistoryLine>,
    /// Para pedir mais histórico; nulo no fim.
    next_cursor: Option<String>,
}

/// Uma mudança do evento.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryLine {
    id: EventChangeId,
    /// A revisão que resultou da mudança.
    api_revision: Revision,
    /// A operação que mudou.
    action: String,
    actor_member_id: MemberId,
    actor_name: String,
    /// O agente ou token por meio do qual a pessoa mudou; ausente quando foi ela mesma.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// Por campo: `{before, after}`.
    changes: Map<String, Value>,
    /// Motivo informado, como o de uma recusa.
    reason: Option<String>,
    occurred_at: Timestamp,
}

impl Operation for GetEvent {
    const SPEC: Spec = Spec::new(
        "get_event",
        "Ler evento",
        Verb::Get,
        "/api/eventos/{eventId}",
    )
    .access(Access::Member(Capability::TasksView))
    .about(EVENT, "eventId")
    .fails(&[404])
    .extension()
    .tool();
    type Output = EventWithHistory;

    async fn run(self, ctx: &Context<'_>) -> Result<EventWithHistory> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::read)
            .transpose()?
            .unwrap_or(Revision::MAX);
        let event = visibility::require_event(ctx, &self.event_id).await?;
        let lines = history::list(&ctx.db(), &event.id, before, self.limit.fetch_limit()).await?;
        let page = ListPage::cut(lines, self.limit, |line| line.api_revision);
        Ok(EventWithHistory {
            evento: EventView::of(event, ctx),
            historico: page.rows.into_iter().map(HistoryLine::of).collect(),
            next_cursor: page.next_cursor,
        })
    }
}

impl HistoryLine {
    fn of(line: history::RecordedChange) -> Self {
        Self {
            changes: line.changes.0,
            id: line.id,
            api_revision: line.api_revision,
            action: line.action,
            actor_member_id: line.actor_member_id,
            actor_name: line.actor_name,
            agent: line.agent,
            reason: line.reason,
            occurred_at: Timestamp(line.occurred_at),
        }
    }
}
