use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{edits, event_view::EventView, hints, notices, stages, status_or_processing};
use crate::announcements::PIECE_UPDATED;
use crate::{
    editable::{EVENT_NOT_EDITABLE, NOT_APPROVED, next_step_advice, require_revision},
    visibility::{self, EVENT},
};
use domain::{
    Capability, EventId, EventStatus, MOST_TAG, MemberId, Revision, VISIBLE,
    channels::{channel_key, is_same_channel},
    text_enum,
    time::DateFields,
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{
    events::{self, Change, Event},
    members,
};

text_enum! {
    /// A status that a user sets directly.
    pub enum ManualStatus {
        Archived = "arquivado",
        Todo = "a fazer",
        Published = "publicado",
    }
}

/// Muda título, canal, data (agendar, remarcar), responsáveis ou etiqueta de um evento; também
/// arquivar, reabrir e marcar como publicado à mão. Legenda: `save_draft`.
///
/// Só os campos informados mudam. `arquivado` vale de qualquer status; `a fazer` reabre ou recomeça;
/// `publicado`, só de um aprovado, com a permissão `publish`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateEvent {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// Título novo.
    #[schemars(length(min = 1, max = 300), regex(pattern = *VISIBLE))]
    title: Option<String>,
    /// Canal novo.
    #[schemars(length(min = 1, max = 60), regex(pattern = *VISIBLE))]
    channel: Option<String>,
    #[serde(flatten)]
    date: DateFields,
    /// Tira a data.
    #[serde(default)]
    sem_data: bool,
    /// Todos os responsáveis, `id` de `list_team`, em ordem; vazia, nenhum.
    #[schemars(length(max = 20), extend("uniqueItems" = true))]
    assignee_ids: Option<Vec<MemberId>>,
    /// Etiqueta nova.
    #[schemars(length(min = 1, max = MOST_TAG), regex(pattern = *VISIBLE))]
    tipo: Option<String>,
    /// Tira a etiqueta.
    #[serde(default)]
    sem_tipo: bool,
    /// Status novo.
    status: Option<ManualStatus>,
}

/// Evento depois da mudança.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventUpdated {
    ok: bool,
    /// A de antes, se nada mudou.
    api_revision: Revision,
    evento: EventView,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

impl Operation for UpdateEvent {
    const SPEC: Spec = Spec::new(
        "update_event",
        "Atualizar peça",
        Verb::Patch,
        "/api/eventos/{eventId}",
    )
    .access(Access::MemberAny(&[
        Capability::TasksAssign,
        Capability::Publish,
    ]))
    .about(EVENT, "eventId")
    .read_by("get_event")
    .fails(&[404])
    .extension()
    .idempotent()
    .hints(hints::UPDATE)
    .reaches_outside_later()
    .tool()
    .announces(&[PIECE_UPDATED]);
    type Output = EventUpdated;

    fn required_capabilities(&self) -> Vec<Capability> {
        let publishes = self.status == Some(ManualStatus::Published);
        let edits = self.title.is_some()
            || self.channel.is_some()
            || !self.date.is_empty()
            || self.sem_data
            || self.assignee_ids.is_some()
            || self.tipo.is_some()
            || self.sem_tipo
            || self
                .status
                .is_some_and(|status| status != ManualStatus::Published);
        let needed = [
            (publishes, Capability::Publish),
            (edits, Capability::TasksAssign),
        ];
        needed
            .into_iter()
            .filter_map(|(asked, capability)| asked.then_some(capability))
            .collect()
    }

    async fn run(self, ctx: &Context<'_>) -> Result<EventUpdated> {
        self.date.to_instant(ctx.now)?;
        if self.sem_data && !self.date.is_empty() {
            let message = "não combina com `day`, `month`, `year` e `hour`";
            return Err(Error::invalid_field("sem_data", "not", message));
        }
        require_distinct_members(self.assignee_ids.as_deref().unwrap_or_default())?;
        let before = visibility::require_event(ctx, &self.event_id).await?;
        require_revision(ctx, &before, self.expected_revision).await?;
        let date = self.date.instant_after_change(ctx.now, before.due_at)?;
        let avisos = notices::past_date_warning(date, ctx.now)
            .into_iter()
            .collect();
        let mut after = before.clone();
        after.title = self.title.unwrap_or(after.title);
        if let Some(channel) = self.channel
            && !is_same_channel(&channel, &before.channel)
        {
            after.channel = channel_key(&channel);
        }
        after.due_at = match self.sem_data {
            true => None,
            false => date.or(after.due_at),
        };
        // A new tag takes precedence over `sem_tipo`.
        after.editorial_tag = self.tipo.or(after.editorial_tag.filter(|_| !self.sem_tipo));
        if let Some(ids) = self.assignee_ids {
            after.assignees = load_new_assignees(ctx, &before, &ids).await?;
        }
        if after != before {
            require_open_event(&before, self.status)?;
        }
        if let Some(status) = self.status {
            after.status = next_status(before.status, status)?;
        }
        if after.status == EventStatus::Todo && before.status != EventStatus::Todo {
            after.status = status_or_processing(ctx, &before, after.status).await?;
        }
        if before.status == EventStatus::InApproval && after.status != before.status {
            edits::require_withdrawal(ctx, &before).await?;
        }
        stages::require_same_rule(ctx, &before, &after).await?;
        if after == before {
            return Ok(EventUpdated::from_event(before, avisos, ctx));
        }
        let actor = &ctx.caller()?.member.id;
        let change = Change {
            actor,
            action: Self::SPEC.name,
            reason: None,
        };
        let saved = events::save(&ctx.db(), &before, after, change, ctx.now).await?;
        Ok(EventUpdated::from_event(saved, avisos, ctx))
    }
}

/// Refuses repeated members. The schema compares texts, but the same id can be written in upper or
/// lower case.
fn require_distinct_members(ids: &[MemberId]) -> Result<()> {
    let mut seen = HashSet::new();
    // A malformed id is parsed as an empty id, and its lookup fails later.
    if ids
        .iter()
        .map(MemberId::as_str)
        .filter(|id| !id.is_empty())
        .all(|id| seen.insert(id))
    {
        return Ok(());
    }
    Err(Error::invalid_field(
        "assignee_ids",
        "uniqueItems",
        "não pode repetir itens",
    ))
}

/// Refuses changes of a published or archived event, unless the same call reopens the archived event.
fn require_open_event(event: &Event, status: Option<ManualStatus>) -> Result<()> {
    let closed = match event.status {
        EventStatus::Published => true,
        EventStatus::Archived => status != Some(ManualStatus::Todo),
        _ => false,
    };
    if closed {
        Err(not_editable_error(event.status))
    } else {
        Ok(())
    }
}

fn next_status(from: EventStatus, to: ManualStatus) -> Result<EventStatus> {
    match to {
        ManualStatus::Archived => Ok(EventStatus::Archived),
        ManualStatus::Todo if from == EventStatus::Archived || from.is_editable() => {
            Ok(EventStatus::Todo)
        }
        ManualStatus::Todo => Err(not_editable_error(from)),
        ManualStatus::Published
            if matches!(from, EventStatus::Approved | EventStatus::Published) =>
        {
            Ok(EventStatus::Published)
        }
        ManualStatus::Published => {
            Err(Error::new(NOT_APPROVED).with_detail("status", from.as_str().into()))
        }
    }
}

fn not_editable_error(status: EventStatus) -> Error {
    Error::new(EVENT_NOT_EDITABLE)
        .because(format!(
            "O evento está `{status}` e não aceita esta mudança."
        ))
        .with_detail("status", status.as_str().into())
        .with_detail("next", next_step_advice(status).into())
}

/// Loads the new assignees. Refuses members who are neither active nor already assignees.
async fn load_new_assignees(
    ctx: &Context<'_>,
    before: &Event,
    ids: &[MemberId],
) -> Result<Vec<(MemberId, String)>> {
    let mut assignees = Vec::with_capacity(ids.len());
    for id in ids {
        let current = before.assignees.iter().find(|(current, _)| current == id);
        assignees.push(match current {
            Some(current) => current.clone(),
            None => {
                let member = members::require_active(&ctx.db(), id).await?;
                (member.id, member.name)
            }
        });
    }
    Ok(assignees)
}

impl EventUpdated {
    fn from_event(event: Event, avisos: Vec<String>, ctx: &Context<'_>) -> Self {
        Self {
            ok: true,
            api_revision: event.api_revision,
            evento: EventView::from_event(event, ctx),
            avisos,
        }
    }
}
