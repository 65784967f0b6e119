//! The job that puts due notifications into e-mails, and gives up e-mails that an ended process was
//! sending.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use domain::{
    MailKind,
    time::{DAY, MINUTE, Millis},
};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use identity::mail::{self as mailing, SEND_MAILS};
use store::{mails, notifications};

/// How long a process may need to send an e-mail after it marked the e-mail. This is longer than the
/// longest attempt.
const LOST_AFTER: Millis = 5 * MINUTE;
/// The minimum time between two e-mails with notifications to one member.
const PAUSE: Millis = 10 * MINUTE;
/// E-mails and notifications that have waited for this long are not sent any more.
pub(super) const TOO_OLD: Millis = 3 * DAY;
/// Maximum number of members whose e-mails one transaction queues.
const MEMBERS: i64 = 50;

/// Queues e-mails with the notifications that are due, gives up e-mails that an ended process was
/// sending, and enqueues the job that sends the waiting e-mails.
#[derive(Serialize, Deserialize)]
pub struct PrepareMails;

impl Job for PrepareMails {
    const NAME: &'static str = "prepare_mails";
    const TIMEOUT: Duration = Duration::from_secs(300);

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
    give_up_old_mails(ctx).await?;
    if !mailing::is_configured(services) {
        return Ok(());
    }
    while !ctx.is_stopping() && queue_member_mails(ctx).await? {}
    let now = services.clock.now();
    let next = mails::find_next_due(&services.db.reader()).await?;
    if next.is_some_and(|at| at <= now) {
        let tx = services.db.begin().await?;
        SEND_MAILS
            .enqueue_or_bring_forward(&services.queue, &tx.conn(), now)
            .await?;
        ctx.commit(tx).await?;
    }
    Ok(())
}

/// Gives up e-mails that an ended process was sending, and e-mails and notifications that have waited
/// for too long.
async fn give_up_old_mails(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let db = tx.conn();
    mails::expire_pending(&db, now - TOO_OLD, now).await?;
    notifications::cancel_mailing_before(&db, now - TOO_OLD).await?;
    let lost = mails::end_interrupted_mails(&db, now - LOST_AFTER, now).await?;
    if lost > 0 {
        tracing::warn!(
            lost,
            "não se sabe se estes e-mails saíram: o processo que os enviava terminou"
        );
    }
    ctx.commit(tx).await
}

/// Queues the e-mails of up to [`MEMBERS`] members. Returns true if there may be more members.
async fn queue_member_mails(ctx: &JobContext) -> Result<bool> {
    let services = ctx.services();
    let now = services.clock.now();
    let since = now - PAUSE;
    let reader = services.db.reader();
    let due = notifications::list_members_to_mail(&reader, now, since, MEMBERS).await?;
    if due.is_empty() {
        return Ok(false);
    }
    let tx = services.db.begin().await?;
    let db = tx.conn();
    for member in &due {
        let settings = notifications::find_settings(&db, member).await?;
        let time = settings.wishes.times.next_time_for_due(now);
        let waits = time > now;
        if waits && !notifications::postpone_mailing(&db, member, time, now).await? {
            continue;
        }
        // A waiting e-mail, for example without a mail server, gets its text only when it is sent, so
        // these notifications can join it. In quiet hours and before the hour of a digest, only
        // reminders are left here; they get a new e-mail, so that they do not wait.
        let kind = MailKind::Notifications;
        let waiting = match waits {
            true => None,
            false => mails::claim_extendable_mail(&db, member).await?,
        };
        let mail = match waiting {
            Some(waiting) => Some(waiting),
            None => mailing::queue(services, &db, kind, Some(member), None, now).await?,
        };
        if let Some(id) = mail {
            notifications::put_into_mail(&db, member, &id, now).await?;
        }
    }
    ctx.commit(tx).await?;
    Ok(i64::try_from(due.len()).unwrap_or(i64::MAX) >= MEMBERS)
}
