//! The job that reminds people of posts at their hour.

use std::time::Duration;

use domain::time::{DAY, Millis};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use store::{
    notifications,
    post_reminders::{self, UnpostedVariant},
    post_snoozes,
};

use crate::{
    announcements::{DUE_AT, POST_CHANNEL, POST_DUE, POST_DUE_AGAIN, REMINDED, VARIANT},
    due_posts::{NOTIFICATIONS, RemindedPost},
    visibility::EVENT,
};

/// The maximum number of posts that are announced in one transaction.
const BATCH: i64 = 100;
/// The maximum number of unread reminders that are checked in one run.
const UNREAD: i64 = 1_000;
/// The time after the hour of a manual post in which people are still reminded.
const REMINDED_FOR: Millis = DAY;
/// The time after the hour of an automatic post in which people are still reminded. It is longer,
/// because the post of a disconnected account becomes late up to a day after its hour
/// (`PAUTA_PUBLISH_LATE_MINUTES`).
const LATE_REMINDED_FOR: Millis = 2 * DAY;

/// Announces the posts whose hour has come and the snoozed posts whose snooze is over. Ends the
/// reminders of posts that are no longer due.
#[derive(Serialize, Deserialize)]
pub(in crate::publishing) struct RemindOfPosts;

impl Job for RemindOfPosts {
    const NAME: &'static str = "remind_of_posts";

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(60), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        loop {
            let now = ctx.services().clock.now();
            if ctx.is_stopping() {
                return JobOutcome::Again(now);
            }
            match remind_batch(ctx, now).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => return JobOutcome::from_result(Err::<(), _>(error), now),
            }
        }
        let now = ctx.services().clock.now();
        let ended = async {
            end_stale_reminders(ctx, now).await?;
            announce_ended_snoozes(ctx, now).await
        };
        JobOutcome::from_result(ended.await, now)
    }
}

/// Announces a batch of due posts. Returns the number of posts in the batch.
async fn remind_batch(ctx: &JobContext, now: Millis) -> Result<usize> {
    let services = ctx.services();
    let since = (now - REMINDED_FOR, now - LATE_REMINDED_FOR);
    let due = post_reminders::list_due(&services.db.reader(), since, now, BATCH).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let tx = services.db.begin().await?;
    let db = tx.conn();
    for post in &due {
        if !post_reminders::insert(&db, post, now).await? {
            continue;
        }
        let piece = (EVENT, post.event_id.as_str());
        POST_DUE
            .record(services, &db, piece, reminder_facts(post))
            .await?;
    }
    ctx.commit(tx).await?;
    Ok(due.len())
}

/// Ends the unread reminders of posts that are no longer due. If such a post is due again at the same
/// hour, people are reminded again.
async fn end_stale_reminders(ctx: &JobContext, now: Millis) -> Result<()> {
    let services = ctx.services();
    let reader = services.db.reader();
    let unread = notifications::list_unread_reminders(&reader, UNREAD).await?;
    let events = unread.iter().map(|one| &one.event_id).collect();
    let unposted = post_reminders::find_unposted_of_pieces(&reader, &events).await?;
    let mut stale = vec![];
    for one in &unread {
        if let Some(post) = RemindedPost::read(&one.event_id, &one.details)
            && !post.is_among(&unposted)
        {
            stale.push((one, post));
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    for (one, post) in stale {
        // One transaction per reminder avoids deadlocks with members who mark notifications as read in
        // another order.
        let tx = services.db.begin().await?;
        let db = tx.conn();
        notifications::end_matching_reminders(&db, one, now).await?;
        let place = (post.channel.as_str(), post.format.as_str());
        post_reminders::forget(&db, &post.event_id, place, post.due_at).await?;
        post_snoozes::delete_snoozes(&db, &post.event_id, place, post.due_at).await?;
        ctx.commit(tx).await?;
    }
    services.changes.mark_area(NOTIFICATIONS);
    Ok(())
}

/// Announces the snoozed posts whose snooze is over. Drops the snoozes of posts that are no longer due.
async fn announce_ended_snoozes(ctx: &JobContext, now: Millis) -> Result<()> {
    let services = ctx.services();
    while post_snoozes::any_is_due(&services.db.reader(), now).await? {
        let tx = services.db.begin().await?;
        let db = tx.conn();
        let snoozes = post_snoozes::take_due(&db, now, BATCH).await?;
        let events = snoozes.iter().map(|one| &one.event_id).collect();
        let unposted = post_reminders::find_unposted_of_pieces(&db, &events).await?;
        for snooze in &snoozes {
            let Some(post) = unposted.iter().find(|post| snooze.matches_post(post)) else {
                // If the post is due again at this hour, people are reminded again.
                let place = (snooze.channel.as_str(), snooze.format.as_str());
                post_reminders::forget(&db, &snooze.event_id, place, snooze.due_at).await?;
                continue;
            };
            let mut facts = reminder_facts(post);
            facts.insert(REMINDED.to_owned(), snooze.member_id.as_str().into());
            let piece = (EVENT, post.event_id.as_str());
            POST_DUE_AGAIN.record(services, &db, piece, facts).await?;
        }
        ctx.commit(tx).await?;
    }
    Ok(())
}

fn reminder_facts(post: &UnpostedVariant) -> Map<String, serde_json::Value> {
    Map::from_iter([
        (VARIANT.to_owned(), post.variant_id.as_str().into()),
        (POST_CHANNEL.to_owned(), post.channel.as_str().into()),
        ("format".to_owned(), post.format.as_str().into()),
        (
            DUE_AT.to_owned(),
            json!(domain::time::Timestamp(post.due_at)),
        ),
    ])
}
