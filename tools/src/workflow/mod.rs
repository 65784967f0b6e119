//! The editorial workflow: from demand to approval.
//!
//! Decided here:
//!
//! - A decision without `expected_revision` is checked again on the current event. If two people approve
//!   at the same time, both get 200; if one approves and the other refuses, only one decision takes
//!   effect.
//! - `tarefas` also lists the caller's refused events, because they need work again.
//! - `reopen_event` both withdraws a submission and reopens an approval, because both lead to `em
//!   progresso`. The status determines who may call it, and whether a reason is required.
//! - Restoring an old caption is an input of `save_draft` and not a separate operation, because the
//!   rules for a new caption also apply to an old caption.
//! - An update that changes nothing (`PATCH /api/eventos/{eventId}`) answers 200 and adds no revision.
//!   New events begin at revision 1.

mod area;
mod awaiting;
mod changed_channels;
mod count_waiting;
mod create_demand;
mod create_demands;
mod decide_approval;
mod decide_as_guest;
mod decide_variants;
mod edits;
mod event_view;
mod get_event;
mod get_my_day;
mod get_publishing_time_insights;
mod hints;
mod hours_of_results;
mod index_events;
mod list_attachable_events;
mod list_events;
mod list_my_tasks;
mod list_pending_approvals;
mod list_team;
mod notices;
mod planned;
mod record_post;
mod reopen_event;
mod save_draft;
mod stages;
mod submit_for_approval;
mod update_event;

pub use area::AREA;
pub use count_waiting::CountWaiting;
pub use create_demand::CreateDemand;
pub use create_demands::CreateDemands;
pub use decide_approval::DecideApproval;
pub use decide_as_guest::DecideAsGuest;
pub use decide_variants::DecideVariants;
pub use get_event::GetEvent;
pub use get_my_day::GetMyDay;
pub use get_publishing_time_insights::GetPublishingTimeInsights;
pub use index_events::IndexEvents;
pub use list_attachable_events::ListAttachableEvents;
pub use list_events::ListEvents;
pub use list_my_tasks::ListMyTasks;
pub use list_pending_approvals::ListPendingApprovals;
pub use list_team::ListTeam;
pub use record_post::RecordPost;
pub use reopen_event::ReopenEvent;
pub use save_draft::SaveDraft;
pub(crate) use stages::require_valid_rules;
pub use submit_for_approval::SubmitForApproval;
pub use update_event::UpdateEvent;

use crate::visibility;
use domain::{Cursor, EventId, EventStatus, Limit, ListPage, time::Millis};
use gateway::{Code, Context, Result};
use store::{
    events::{self, Event, Filter},
    videos,
};

pub const EVENT_NOT_PENDING: Code = Code::new(
    "EVENT_NOT_PENDING",
    409,
    "O evento não está aguardando esta decisão.",
)
.with_next_step("Releia o evento e veja o status e a decisão atuais.");

pub const MEDIA_PROCESSING: Code = Code::new(
    "MEDIA_PROCESSING",
    409,
    "Há mídia sendo gerada para este evento.",
)
.with_next_step("Espere a geração terminar e tente de novo.");

/// Returns the status to store when an event gets a new status. While a video is being made for the
/// event, this is `processing`, and the event gets the new status afterwards.
async fn status_or_processing(
    ctx: &Context<'_>,
    event: &Event,
    status: EventStatus,
) -> Result<EventStatus> {
    match videos::set_return_status(&ctx.db(), &event.id, status).await? {
        true => Ok(EventStatus::Processing),
        false => Ok(status),
    }
}

/// Loads one page of the events that the caller may see, in the order of the agenda.
async fn load_event_page(
    ctx: &Context<'_>,
    filter: Filter,
    limit: Limit,
    cursor: Option<&Cursor>,
) -> Result<ListPage<Event>> {
    let filter = filter_page(ctx, filter, cursor)?;
    let rows = events::list(&ctx.db(), filter, limit.fetch_limit()).await?;
    Ok(page_of_events(rows, limit))
}

/// Restricts a filter to the events that the caller may see, after the cursor.
fn filter_page(ctx: &Context<'_>, filter: Filter, cursor: Option<&Cursor>) -> Result<Filter> {
    Ok(Filter {
        visible_to: visibility::visible_to(ctx)?.cloned(),
        after: cursor
            .map(Cursor::decode_position::<(Millis, EventId)>)
            .transpose()?,
        ..filter
    })
}

/// Builds a page from rows that were read with the fetch limit.
fn page_of_events(rows: Vec<Event>, limit: Limit) -> ListPage<Event> {
    ListPage::from_fetched_rows(rows, limit, |event| {
        (event.agenda_sort_key(), event.id.clone())
    })
}
