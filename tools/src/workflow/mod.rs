//! The editorial workflow: from demand to approval.

mod create_demand;
mod decide_approval;
mod event_view;
mod get_event;
mod get_publishing_time_insights;
mod list_attachable_events;
mod list_events;
mod list_my_tasks;
mod list_pending_approvals;
mod save_draft;
mod submit_for_approval;
mod update_event;

pub use create_demand::CreateDemand;
pub use decide_approval::DecideApproval;
pub use get_event::GetEvent;
pub use get_publishing_time_insights::GetPublishingTimeInsights;
pub use list_attachable_events::ListAttachableEvents;
pub use list_events::ListEvents;
pub use list_my_tasks::ListMyTasks;
pub use list_pending_approvals::ListPendingApprovals;
pub use save_draft::SaveDraft;
pub use submit_for_approval::SubmitForApproval;
pub use update_event::UpdateEvent;

use crate::visibility;
use domain::{Cursor, Limit, Page, Revision, time::Millis};
use gateway::{Area, Code, Context, Error, Result};
use store::events::{self, Event, Filter};

/// The area of these operations.
pub const AREA: Area = Area::new(
    "workflow",
    "Demandas, rascunhos, envio, aprovação e calendário editorial.",
);

/// Refuses (409) a caller who read an earlier revision.
pub(crate) fn require_revision(event: &Event, expected: Revision) -> Result<()> {
    if event.api_revision == expected {
        return Ok(());
    }
    Err(Error::stale(event.api_revision))
}

/// Refuses (409) an event whose content may no longer change.
pub(crate) fn require_editable(event: &Event) -> Result<()> {
    if event.status.is_editable() {
        return Ok(());
    }
    Err(Error::new(Code::EventNotEditable)
        .because(format!(
            "O evento está `{}` e não pode ser editado.",
            event.status
        ))
        .with("status", event.status.as_str().into()))
}

/// One page of the events that the caller may see, by agenda.
async fn page(
    ctx: &Context<'_>,
    filter: Filter,
    limit: Limit,
    cursor: Option<&Cursor>,
) -> Result<Page<Event>> {
    let _caller = ctx.caller()?;
    let filter = Filter {
        visible_to: visibility::visible_to(ctx)?.map(Into::into),
        after: cursor.map(Cursor::read::<(Millis, String)>).transpose()?,
        ..filter
    };
    let rows = events::list(&ctx.db(), filter, limit.probe()).await?;
    Ok(Page::cut(rows, limit, |event| {
        (event.agenda_at(), event.id.clone())
    }))
}
