//! A picture in the making for an event, which is not submitted meanwhile.

use super::attach;
use domain::{
    EventId, MediaJobId,
    time::{MINUTE, Millis},
};
use gateway::{Context, Error, Result};
use store::media_jobs;

/// Longer than an operation that calls a provider may run.
const LEASE: Millis = 5 * MINUTE;

/// Does this work while a job holds the event, when there is one, which the caller may see and edit.
pub(super) async fn during<T>(
    ctx: &Context<'_>,
    event_id: Option<&EventId>,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let job = Job::begin(ctx, event_id).await?;
    let made = work.await;
    job.end(ctx).await;
    made
}

/// A job that holds its event, when there is one. It must be ended.
#[must_use]
struct Job(Option<MediaJobId>);

impl Job {
    async fn begin(ctx: &Context<'_>, event_id: Option<&EventId>) -> Result<Self> {
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

    /// Lets the event go, whatever became of the picture.
    async fn end(self, ctx: &Context<'_>) {
        let Some(id) = self.0 else { return };
        let ended = async {
            let tx = ctx.begin().await?;
            media_jobs::delete(&tx.conn(), &id).await?;
            tx.commit().await?;
            Ok::<_, Error>(())
        };
        if let Err(error) = ended.await {
            tracing::warn!(%error, "a media job is held until its lease is over");
        }
    }
}
