//! The job that carries out the next steps of a publication of a variant.

use std::time::Duration;

use domain::{
    PostState as State, PublicationId,
    time::{HOUR, Millis},
};
use gateway::{
    Result,
    jobs::{Backoff, Job, JobContext, JobOutcome},
};
use serde::{Deserialize, Serialize};
use store::scheduled_posts::{self, ScheduledPost};

use super::{check, follow, late, meaning::Cause, prepare, prepared, publish, steps::Next};

/// The maximum number of steps in one run, so that other jobs get their turn.
const STEPS: usize = 30;
/// The time after the request in which the state of an unknown publication is still requested. A
/// prepared post expires earlier, which proves that it was not published; a network that accepts a post
/// and publishes it later gets two days.
const LOOKED_FOR: Millis = 74 * HOUR;

/// Carries out the next steps of one publication.
#[derive(Serialize, Deserialize)]
pub(in crate::publishing) struct AdvancePublication {
    pub id: PublicationId,
}

impl Job for AdvancePublication {
    const NAME: &'static str = "advance_publication";
    /// The limit of attempts. A publication becomes late before it reaches this number.
    const ATTEMPTS: u32 = 100_000;
    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(5),
        longest: Duration::from_secs(60),
    };
    const TIMEOUT: Duration = Duration::from_secs(600);
    /// The limit of simultaneous runs, so that long uploads leave room for other jobs.
    const MOST_AT_ONCE: usize = 12;

    fn dedupe_key(&self) -> Option<String> {
        Some(self.id.as_str().to_owned())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let now = ctx.services().clock.now();
        match self.take_steps(ctx).await {
            Ok(Next::At(at)) => JobOutcome::Again(at),
            Ok(Next::Now) => JobOutcome::Again(now),
            Ok(Next::Nothing) => JobOutcome::Done,
            Err(error) => JobOutcome::from_result(Err::<(), _>(error), now),
        }
    }
}

impl AdvancePublication {
    async fn take_steps(&self, ctx: &JobContext) -> Result<Next> {
        for _ in 0..STEPS {
            let db = ctx.services().db.reader();
            let Some(publication) = scheduled_posts::find(&db, &self.id).await? else {
                return Ok(Next::Nothing);
            };
            match take_step(ctx, &publication).await? {
                Next::Now if !ctx.is_stopping() => {}
                Next::Nothing => break,
                next => return Ok(next),
            }
        }
        let db = ctx.services().db.reader();
        match scheduled_posts::find(&db, &self.id).await? {
            Some(ended) if ended.finished_at.is_some() => {
                prepared::discard_ended(ctx, &ended).await
            }
            Some(_) => Ok(Next::Now),
            None => Ok(Next::Nothing),
        }
    }
}

async fn take_step(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let now = ctx.services().clock.now();
    match publication.state {
        State::Scheduled => prepare::begin(ctx, publication).await,
        State::Preparing => prepare::continue_preparation(ctx, publication).await,
        State::Ready => publish::publish_when_due(ctx, publication).await,
        State::Publishing => check::begin(ctx, publication).await,
        State::Checking => check::check_state(ctx, publication).await,
        State::Unknown if now < publication.started_at.unwrap_or_default() + LOOKED_FOR => {
            check::check_state(ctx, publication).await
        }
        State::Published if publication.followed == 0 => follow::follow(ctx, publication).await,
        State::Published if publication.link.is_none() => {
            follow::request_missing_id_and_link(ctx, publication).await
        }
        State::Late if publication.code.as_deref() == Some(Cause::Quota.code()) => {
            late::await_quota(ctx, publication).await
        }
        State::Published | State::Failed | State::Unknown | State::Late | State::Canceled => {
            Ok(Next::Nothing)
        }
    }
}
