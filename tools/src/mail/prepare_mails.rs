//! The job that puts notifications into e-mails, and looks after the e-mails of ended processes.

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

/// How long after its mark an e-mail may still be in the hands of a process. It is longer than the
/// longest attempt.
const LOST_AFTER: Millis = 5 * MINUTE;
/// The time between two e-mails with notifications to one member.
const PAUSE: Millis = 10 * MINUTE;
/// What has waited for this long is not sent any more.
pub(super) const TOO_OLD: Millis = 3 * DAY;
/// Members that are looked after in one transaction.
const MEMBERS: i64 = 50;

/// Makes e-mails of the notifications that are due, gives up those that an ended process was sending,
/// and enqueues the sending of those that wait.
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
    end_old(ctx).await?;
    if !mailing::is_configured(services) {
        return Ok(());
    }
    while !ctx.is_stopping() && queue_some(ctx).await? {}
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

/// Gives up the e-mails of ended processes, and what has waited for too long.
async fn end_old(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let db = tx.conn();
    mails::expire_pending(&db, now - TOO_OLD, now).await?;
    notifications::forget_to_mail(&db, now - TOO_OLD).await?;
    let lost = mails::give_up_lost(&db, now - LOST_AFTER, now).await?;
    if lost > 0 {
        tracing::warn!(
            lost,
            "não se sabe se estes e-mails saíram: o processo que os enviava terminou"
        );
    }
    ctx.commit(tx).await
}

/// Makes the e-mails of some members. Returns whether there may be more.
async fn queue_some(ctx: &JobContext) -> Result<bool> {
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
        if waits && !notifications::move_to_mail(&db, member, time, now).await? {
            continue;
        }
        // An e-mail that waits, as without a server, has its text only when it is sent. A reminder does
        // not wait with it.
        let kind = MailKind::Notifications;
        let waiting = match waits {
            true => None,
            false => mails::find_to_extend(&db, member).await?,
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
