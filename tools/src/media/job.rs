//! Marks events for which images are being generated. A marked event cannot be submitted.

use super::attach;
use domain::{
    EventId, MediaJobId,
    time::{MINUTE, Millis},
};
use gateway::{Context, Error, Result};
use store::media_jobs;

/// How long a row marks its event if the process died. This time must be longer than the timeout of an
/// operation that calls a provider.
const LEASE: Millis = 5 * MINUTE;

/// Runs the work while a row marks the event as having images in progress. Refuses an event that the
/// caller may not see or edit.
pub(super) async fn with_marked_event<T>(
    ctx: &Context<'_>,
    event_id: Option<&EventId>,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let job = Job::begin_job(ctx, event_id).await?;
    let made = work.await;
    job.end_job(ctx).await;
    made
}

/// The row that marks an event as having images in progress; `None` without an event. [`Job::end_job`]
/// must be called.
#[must_use]
struct Job(Option<MediaJobId>);

impl Job {
    async fn begin_job(ctx: &Context<'_>, event_id: Option<&EventId>) -> Result<Self> {
        let Some(event_id) = event_id else {
            return Ok(Self(None));
        };
        let id = MediaJobId::new(ctx.now);
        let tx = ctx.begin().await?;
        attach::require_attachable(&tx.conn(), ctx, event_id).await?;
        media_jobs::insert(&tx.conn(), &id, event_id, ctx.now + LEASE).await?;
        tx.commit().await?;
        Ok(Self(Some(id)))
    }

    /// Deletes the row. If this fails, the row expires by itself.
    async fn end_job(self, ctx: &Context<'_>) {
        let Some(id) = self.0 else { return };
        let ended = async {
            let tx = ctx.begin().await?;
            media_jobs::delete(&tx.conn(), &id).await?;
            tx.commit().await?;
            Ok::<_, Error>(())
        };
        if let Err(error) = ended.await {
            tracing::warn!(
                error = error.text_with_causes(),
                "uma tarefa de mídia não foi encerrada: a reserva dela vai vencer"
            );
        }
    }
}
