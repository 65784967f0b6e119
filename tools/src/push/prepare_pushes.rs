//! The job that cleans up the messages of ended processes.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::notifications::SEND_PUSHES;
use domain::{
    PUSH_LIFETIME,
    time::{MINUTE, Millis},
};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::{notifications, push};

/// The time after its mark after which a message counts as lost. It is longer than the longest attempt
/// to send.
const LOST_AFTER: Millis = 5 * MINUTE;

/// Gives up the messages that an ended process was sending, ends the messages that are too old, and
/// enqueues the job that sends due messages.
#[derive(Serialize, Deserialize)]
pub struct PreparePushes;

impl Job for PreparePushes {
    const NAME: &'static str = "prepare_pushes";

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(60), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let prepared = prepare(ctx).await;
        JobOutcome::from_result(prepared, ctx.services().clock.now())
    }
}

async fn prepare(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let reader = services.db.reader();
    let messages = push::find_next_due(&reader).await?;
    let notifications = notifications::find_next_push_time(&reader).await?;
    let next = messages.into_iter().chain(notifications).min();
    let tx = services.db.begin().await?;
    let db = tx.conn();
    push::expire_pending(&db, now - PUSH_LIFETIME, now).await?;
    notifications::cancel_pushing_before(&db, now - PUSH_LIFETIME).await?;
    let lost = push::end_interrupted_messages(&db, now - LOST_AFTER, now).await?;
    if lost > 0 {
        tracing::warn!(
            lost,
            "não se sabe se estes avisos a aparelhos saíram: o processo que os enviava terminou"
        );
    }
    if next.is_some_and(|at| at <= now) {
        SEND_PUSHES
            .enqueue_or_bring_forward(&services.queue, &db, now)
            .await?;
    }
    ctx.commit(tx).await
}
