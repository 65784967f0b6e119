//! The job that reminds people of posts at their hour.

use std::time::Duration;

use domain::time::{DAY, Millis};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use store::post_reminders::{self, UnpostedVariant};

use crate::{
    announcements::{POST_DUE, VARIANT},
    visibility::EVENT,
};

/// Posts that are handled in one transaction.
const BATCH: i64 = 100;
/// How long after its hour people are still reminded of a post.
const REMINDED_FOR: Millis = DAY;

/// Announces the posts whose hour has come.
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
                Ok(0) => return JobOutcome::Done,
                Ok(_) => {}
                Err(error) => return JobOutcome::from_result(Err::<(), _>(error), now),
            }
        }
    }
}

/// Announces a batch. Returns how many posts it had.
async fn remind_batch(ctx: &JobContext, now: Millis) -> Result<usize> {
    let services = ctx.services();
    let hours = (now - REMINDED_FOR, now);
    let due = post_reminders::list_due(&services.db.reader(), hours, BATCH).await?;
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
        POST_DUE.record(services, &db, piece, facts(post)).await?;
    }
    ctx.commit(tx).await?;
    Ok(due.len())
}

fn facts(post: &UnpostedVariant) -> Map<String, serde_json::Value> {
    Map::from_iter([
        (VARIANT.to_owned(), post.variant_id.as_str().into()),
        ("channel".to_owned(), post.channel.as_str().into()),
        ("format".to_owned(), post.format.as_str().into()),
        (
            "due_at".to_owned(),
            json!(domain::time::Timestamp(post.due_at)),
        ),
    ])
}
