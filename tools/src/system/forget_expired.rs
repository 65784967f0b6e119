//! The job that deletes expired rows.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use domain::time::{DAY, Millis, brasilia_day};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};

/// The time for which failed jobs are stored, so that the operator can examine them.
pub const ENDED_JOBS: i64 = 30 * DAY;

/// The time for which the daily use of tokens and agents is stored.
const USE_KEPT: i64 = 30 * DAY;

/// The time for which the record is stored that people were reminded of a post. It is longer than the
/// two days after the hour in which people are reminded.
const REMINDERS_KEPT: i64 = 30 * DAY;

/// The time for which outbox rows are stored that all readers have read.
const OUTBOX_KEPT: i64 = 14 * DAY;

/// The time for which notifications are stored.
const NOTIFICATIONS_KEPT: i64 = 180 * DAY;

/// The time for which messages of webhooks and their attempts are stored.
pub const WEBHOOK_LOG_KEPT: i64 = 30 * DAY;

/// The time for which the record of sent e-mails is stored.
pub const MAILS_KEPT: i64 = 30 * DAY;

/// The time for which the record of messages to devices is stored.
pub const PUSHES_KEPT: i64 = 7 * DAY;

/// The time after which a device is removed if no page of its member has registered it again.
pub const DEVICES_KEPT: i64 = 180 * DAY;

/// Deletes expired idempotency keys, invitations, links for setting passwords, refresh tokens, known IP
/// networks, OAuth states and agent tokens, unused agent clients, interrupted media jobs, counts of
/// attempts, old use of tokens and agents, failed jobs, rotated secrets of webhooks, reminders of posts
/// and upload URLs of ended publications. Also deletes old outbox rows, notifications, webhook messages,
/// push messages, e-mails, and devices that no page has registered for a long time.
#[derive(Serialize, Deserialize)]
pub struct ForgetExpired;

impl Job for ForgetExpired {
    const NAME: &'static str = "forget_expired";

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(3_600), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        JobOutcome::from_result(delete_expired_rows(ctx.services()).await, ctx.now)
    }
}

async fn delete_expired_rows(services: &Services) -> Result<()> {
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    store::idempotency::delete_expired(&tx.conn(), now).await?;
    store::accounts::delete_expired(&tx.conn(), now).await?;
    store::agents::delete_expired(&tx.conn(), now).await?;
    store::oauth_states::delete_expired(&tx.conn(), now).await?;
    store::media_jobs::delete_expired(&tx.conn(), now).await?;
    store::attempts::delete_expired(&tx.conn(), now - identity::LIMIT_WINDOW).await?;
    let kept_from = brasilia_day(now - USE_KEPT).to_string();
    store::budgets::delete_before(&tx.conn(), &kept_from).await?;
    store::webhooks::delete_previous_secrets(&tx.conn(), now).await?;
    store::post_reminders::delete_before(&tx.conn(), now - REMINDERS_KEPT).await?;
    store::scheduled_posts::forget_ended_addresses(&tx.conn(), now - DAY).await?;
    store::jobs::delete_ended_jobs(&tx.conn(), now - ENDED_JOBS).await?;
    tx.commit().await?;
    delete_in_steps(services, now).await
}

/// Deletes the rows of large tables in batches, each batch in a separate transaction.
async fn delete_in_steps(services: &Services, now: Millis) -> Result<()> {
    loop {
        let tx = services.db.begin().await?;
        let db = tx.conn();
        let rest = store::outbox::delete_read_rows(&db, now - OUTBOX_KEPT).await?;
        let more = store::notifications::delete_before(&db, now - NOTIFICATIONS_KEPT).await?;
        let messages = store::webhooks::delete_before(&db, now - WEBHOOK_LOG_KEPT).await?;
        let mails = store::mails::delete_before(&db, now - MAILS_KEPT).await?;
        let pushes = store::push::delete_before(&db, now - PUSHES_KEPT).await?;
        let devices = store::push::delete_unrenewed(&db, now - DEVICES_KEPT).await?;
        tx.commit().await?;
        if !rest && !more && !messages && !mails && !pushes && !devices {
            return Ok(());
        }
    }
}
