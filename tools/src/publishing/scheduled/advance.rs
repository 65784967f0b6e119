//! The job that moves the publication of a variant on.

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
use serde_json::Map;
use store::scheduled_posts::{self, ScheduledPost, Step};

use super::{check, desk::PostDesk, follow, meaning::Cause, prepare, publish};
use crate::{announcements::PUBLICATION_ENDED, publishing::PUBLICATION};

/// Steps of one run, so that other jobs get their turn.
const STEPS: usize = 30;
/// How long after its request an unknown publication is still looked for. What was prepared expires
/// before, which proves that it was not published.
const LOOKED_FOR: Millis = 26 * HOUR;

/// Moves one publication on.
#[derive(Serialize, Deserialize)]
pub(in crate::publishing) struct AdvancePublication {
    pub id: PublicationId,
}

/// What follows a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The next step is due now.
    Now,
    /// The next step is due at this time.
    At(Millis),
    /// Nothing follows.
    Nothing,
}

impl Job for AdvancePublication {
    const NAME: &'static str = "advance_publication";
    /// More attempts than there can be before a publication is late.
    const ATTEMPTS: u32 = 100_000;
    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(5),
        longest: Duration::from_secs(60),
    };
    const TIMEOUT: Duration = Duration::from_secs(600);

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
                next => return Ok(next),
            }
        }
        Ok(Next::Now)
    }
}

async fn take_step(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let now = ctx.services().clock.now();
    match publication.state {
        State::Scheduled => prepare::begin(ctx, publication).await,
        State::Preparing => prepare::continue_preparation(ctx, publication).await,
        State::Ready => publish::publish_when_due(ctx, publication).await,
        State::Publishing => check::begin(ctx, publication).await,
        State::Checking => check::look(ctx, publication).await,
        State::Unknown if now < publication.started_at.unwrap_or_default() + LOOKED_FOR => {
            check::look(ctx, publication).await
        }
        State::Published if publication.followed == 0 => follow::follow(ctx, publication).await,
        State::Published | State::Failed | State::Unknown | State::Late | State::Canceled => {
            Ok(Next::Nothing)
        }
    }
}

/// The moment from which a publication is late.
pub(super) fn late_at(ctx: &JobContext, publication: &ScheduledPost) -> Millis {
    let desk = ctx.services().parts.find::<PostDesk>();
    publication.due_at + desk.map_or(HOUR, |desk| desk.late_after)
}

/// Moves the publication to another state, or records why it stays.
pub(super) async fn record(
    ctx: &JobContext,
    publication: &ScheduledPost,
    to: State,
    cause: Option<Cause>,
    provider_code: Option<&str>,
) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let (id, from) = (&publication.id, publication.state);
    let step = Step {
        code: cause.map(Cause::code),
        provider_code,
        // Only these attempts are limited.
        is_attempt: cause == Some(Cause::PrepareAgain),
    };
    if scheduled_posts::record_step(&db, id, (from, to), step, now).await?
        && to != from
        && to.asks_person()
    {
        announce_end(ctx, &tx, publication, to).await?;
    }
    ctx.commit(tx).await
}

/// Records why the publication stays, with the time of its next step. If it is late by then, a person
/// is asked instead.
pub(super) async fn hold(
    ctx: &JobContext,
    publication: &ScheduledPost,
    cause: Cause,
    provider_code: Option<&str>,
    next: Next,
) -> Result<Next> {
    record(
        ctx,
        publication,
        publication.state,
        Some(cause),
        provider_code,
    )
    .await?;
    // A publication whose next step would be too late asks at once when it is late.
    Ok(match next {
        Next::At(at) => {
            Next::At(at.min(late_at(ctx, publication).max(ctx.services().clock.now() + 1)))
        }
        next => next,
    })
}

/// Ends a waiting publication that is too late. Returns `true` if it is.
pub(super) async fn end_if_late(ctx: &JobContext, publication: &ScheduledPost) -> Result<bool> {
    if ctx.services().clock.now() < late_at(ctx, publication) {
        return Ok(false);
    }
    let known = publication.code.as_deref().and_then(Cause::from_code);
    let cause = known.unwrap_or(Cause::Late);
    let provider_code = publication.provider_code.as_deref();
    record(ctx, publication, State::Late, Some(cause), provider_code).await?;
    Ok(true)
}

/// Announces that a publication has ended or asks a person, in the transaction that stores it.
pub(super) async fn announce_end(
    ctx: &JobContext,
    tx: &store::Tx,
    publication: &ScheduledPost,
    state: State,
) -> Result<()> {
    let facts = Map::from_iter([
        ("state".to_owned(), state.as_str().into()),
        ("event_id".to_owned(), publication.event_id.as_str().into()),
    ]);
    let about = (PUBLICATION, publication.id.as_str());
    PUBLICATION_ENDED
        .record(ctx.services(), &tx.conn(), about, facts)
        .await
}
