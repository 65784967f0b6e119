//! The editorial workflow: from demand to approval.

mod create_demand;
mod create_demands;
mod decide_approval;
mod edits;
mod event_view;
mod get_event;
mod get_publishing_time_insights;
mod hints;
mod list_attachable_events;
mod list_events;
mod list_my_tasks;
mod list_pending_approvals;
mod list_team;
mod notices;
mod reopen_event;
mod save_draft;
mod submit_for_approval;
mod update_event;

pub use create_demand::CreateDemand;
pub use create_demands::CreateDemands;
pub use decide_approval::DecideApproval;
pub use get_event::GetEvent;
pub use get_publishing_time_insights::GetPublishingTimeInsights;
pub use list_attachable_events::ListAttachableEvents;
pub use list_events::ListEvents;
pub use list_my_tasks::ListMyTasks;
pub use list_pending_approvals::ListPendingApprovals;
pub use list_team::ListTeam;
pub use reopen_event::ReopenEvent;
pub use save_draft::SaveDraft;
pub use submit_for_approval::SubmitForApproval;
pub use update_event::UpdateEvent;

use crate::visibility;
use domain::{Cursor, EventId, EventStatus, Limit, ListPage, Revision, time::Millis};
use gateway::{Area, Code, Context, Error, Result};
use store::{
    events::{self, Event, Filter},
    videos,
};

/// The area of these operations.
pub const AREA: Area = Area::new(
    "workflow",
    "Demandas, rascunhos, envio, aprovação e calendário editorial.",
)
.codes(&[
    EVENT_NOT_EDITABLE,
    EVENT_NOT_PENDING,
    NOT_APPROVED,
    MEDIA_PROCESSING,
]);

pub const EVENT_NOT_EDITABLE: Code = Code::new(
    "EVENT_NOT_EDITABLE",
    409,
    "O evento não pode ser editado neste status.",
)
.next("Releia o evento; só `a fazer`, `em progresso`, `processing` e `recusado` aceitam edição.");

pub const EVENT_NOT_PENDING: Code = Code::new(
    "EVENT_NOT_PENDING",
    409,
    "O evento não está aguardando esta decisão.",
)
.next("Releia o evento e veja o status e a decisão atuais.");

pub const NOT_APPROVED: Code = Code::new("NOT_APPROVED", 409, "O evento não está aprovado.")
    .next("Só um evento `aprovado` pode ser publicado.");

pub const MEDIA_PROCESSING: Code = Code::new(
    "MEDIA_PROCESSING",
    409,
    "Há mídia sendo gerada para este evento.",
)
.next("Espere a geração terminar e tente de novo.");

/// Refuses (409) a caller who read an earlier revision.
pub(crate) async fn require_revision(
    ctx: &Context<'_>,
    event: &Event,
    expected: Revision,
) -> Result<()> {
    if event.api_revision == expected {
        return Ok(());
    }
    Err(events::stale(&ctx.db(), &event.id, expected).await?)
}

/// A channel as it is kept.
fn channel_name(given: &str) -> String {
    given.trim().to_lowercase()
}

/// Refuses (409) an event whose content may no longer change.
pub(crate) fn require_editable(event: &Event) -> Result<()> {
    if event.status.is_editable() {
        return Ok(());
    }
    Err(Error::new(EVENT_NOT_EDITABLE)
        .because(format!(
            "O evento está `{}` e não pode ser editado.",
            event.status
        ))
        .with("status", event.status.as_str().into())
        .with("next", remedy(event.status).into()))
}

/// The status of an event that is given a new one in its making. While a video is made for it, it stays
/// `processing`, and returns to the new status afterwards.
async fn status_in_work(
    ctx: &Context<'_>,
    event: &Event,
    status: EventStatus,
) -> Result<EventStatus> {
    match videos::return_to(&ctx.db(), &event.id, status).await? {
        true => Ok(EventStatus::Processing),
        false => Ok(status),
    }
}

/// What can be done about an event whose content may not change.
fn remedy(status: EventStatus) -> &'static str {
    match status {
        EventStatus::InApproval => {
            "Aguarda decisão em `decide_approval`, em que quem aprova ajusta data e legenda. Quem o \
             enviou, ou quem aprova, o retira com `reopen_event`, e ele volta a ser editável."
        }
        EventStatus::Approved => {
            "`update_event` muda título, canal, data e responsáveis. Para refazer a legenda ou as \
             mídias, quem aprova o reabre com `reopen_event` e um `motivo`."
        }
        EventStatus::Published => {
            "Já está no ar: para outra peça, use `create_demand`; para tirá-lo da agenda, arquive \
             com `update_event`."
        }
        EventStatus::Archived => "Reabra com `update_event` e `status` `a fazer`.",
        EventStatus::Todo
        | EventStatus::InProgress
        | EventStatus::Processing
        | EventStatus::Refused => {
            "Está em elaboração: edite com `save_draft` e envie com `submit_for_approval`."
        }
    }
}

/// One page of the events that the caller may see, by agenda.
async fn page(
    ctx: &Context<'_>,
    filter: Filter,
    limit: Limit,
    cursor: Option<&Cursor>,
) -> Result<ListPage<Event>> {
    let _caller = ctx.caller()?;
    let filter = Filter {
        visible_to: visibility::visible_to(ctx)?.cloned(),
        after: cursor.map(Cursor::read::<(Millis, EventId)>).transpose()?,
        ..filter
    };
    let rows = events::list(&ctx.db(), filter, limit.probe()).await?;
    Ok(ListPage::cut(rows, limit, |event| {
        (event.agenda_at(), event.id.clone())
    }))
}
