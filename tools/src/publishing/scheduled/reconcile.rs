//! The job that schedules approved variants, and cancels publications whose variant is no longer
//! approved.

use std::time::Duration;

use domain::{PostState as State, PublicationId, channels::CHANNELS};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use serde::{Deserialize, Serialize};
use store::{
    connections, events,
    scheduled_posts::{self, Step, WITHDRAWN},
    variants,
};

use super::{
    advance::AdvancePublication,
    desk::PostDesk,
    stored_post::{Current, load_current},
};

/// Compares the approved variants with their publications. The job runs every minute, and soon after an
/// announcement such as an approval.
#[derive(Serialize, Deserialize)]
pub(in crate::publishing) struct SchedulePublications;

impl Job for SchedulePublications {
    const NAME: &'static str = "schedule_publications";
    const READS_OUTBOX: bool = true;

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(60), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let ran = async {
            withdraw(ctx).await?;
            schedule_approved(ctx).await
        };
        JobOutcome::from_result(ran.await, ctx.services().clock.now())
    }
}

/// Cancels the waiting publications whose variant is no longer approved, and reschedules the
/// publications whose hour has changed.
async fn withdraw(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    for id in scheduled_posts::list_outdated(&services.db.reader()).await? {
        let tx = services.db.begin().await?;
        let db = tx.conn();
        let Some(found) = scheduled_posts::find(&db, &id).await? else {
            continue;
        };
        let now = services.clock.now();
        match load_current(&db, &found).await? {
            Current::Withdrawn => {
                let step = Step {
                    code: Some(WITHDRAWN),
                    ..Step::default()
                };
                let states = (found.state, State::Canceled);
                scheduled_posts::record_step(&db, &id, states, step, now).await?;
                // The next step deletes the prepared post at the network.
                let advance = AdvancePublication { id };
                advance
                    .enqueue_or_bring_forward(&services.queue, &db, now)
                    .await?;
            }
            Current::Approved { due_at, .. } => {
                let due = (due_at, false);
                scheduled_posts::set_due(&db, &id, found.state, due, now).await?;
                let advance = AdvancePublication { id };
                advance
                    .enqueue_or_bring_forward(&services.queue, &db, now)
                    .await?;
            }
        }
        ctx.commit(tx).await?;
    }
    Ok(())
}

/// Schedules the approved variants that have no publication. If their network is not registered by their
/// hour, they become late.
async fn schedule_approved(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    let desk = services.parts.find::<PostDesk>();
    let automatic = CHANNELS.iter().filter(|channel| channel.is_automatic());
    let names: Vec<&str> = automatic.map(|channel| channel.key).collect();
    for id in scheduled_posts::list_unscheduled(&services.db.reader(), &names).await? {
        let tx = services.db.begin().await?;
        let db = tx.conn();
        let now = services.clock.now();
        let Some(variant) = variants::find(&db, &id).await? else {
            continue;
        };
        let piece = events::find(&db, &variant.event_id).await?;
        let Some(due_at) = piece.and_then(|piece| variant.due_at(&piece)) else {
            continue;
        };
        let network = desk.and_then(|desk| desk.find(&variant.channel));
        let connection = match network {
            Some(network) => connections::find(&db, network.connection).await?,
            None => None,
        };
        let account = connection.map(|found| found.account_id).unwrap_or_default();
        let id = PublicationId::new(now);
        if scheduled_posts::insert(&db, &id, &variant, (&account, due_at), now).await? {
            let advance = AdvancePublication { id };
            advance.enqueue(&services.queue, &db, now).await?;
            ctx.commit(tx).await?;
        }
    }
    Ok(())
}
