//! The parts that all steps of a publication share: their result, and the functions that store a state.

use domain::{PostState as State, time::Millis};
use gateway::{Result, jobs::JobContext};
use serde_json::Map;
use store::scheduled_posts::{self, ScheduledPost, Step};

use super::{desk::PostDesk, meaning::Cause};
use crate::{
    announcements::{POST_CHANNEL, PUBLICATION_ENDED},
    publishing::PUBLICATION,
};

/// The time of the step after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The next step is due now.
    Now,
    /// The next step is due at this time.
    At(Millis),
    /// No step follows.
    Nothing,
}

/// Returns the instant from which a publication is late. On a network that is not registered this is its
/// hour, because only a person can publish there.
pub(super) fn late_at(ctx: &JobContext, publication: &ScheduledPost) -> Millis {
    let desk = ctx.services().parts.find::<PostDesk>();
    match desk {
        Some(desk) if is_registered(ctx, publication) => desk.late_at(publication.due_at),
        _ => publication.due_at,
    }
}

/// Returns true if the network of a publication is registered.
fn is_registered(ctx: &JobContext, publication: &ScheduledPost) -> bool {
    let desk = ctx.services().parts.find::<PostDesk>();
    desk.is_some_and(|desk| desk.find(&publication.network).is_some())
}

/// Moves the publication to another state, or stores the reason why it stays in its state.
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
        // Only new preparations are counted, because only their number is limited.
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

/// Stores the reason for which the publication stays in its state. Returns the time of its next step,
/// but at the latest the time at which the publication is late, so that a person is asked then.
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
    // If the next step would be too late, it runs as soon as the publication is late.
    Ok(match next {
        Next::At(at) => {
            Next::At(at.min(late_at(ctx, publication).max(ctx.services().clock.now() + 1)))
        }
        next => next,
    })
}

/// Ends a waiting publication that is too late. Returns the time of the next step, or `None` if the
/// publication is not too late. If an earlier request may have published the post, the publication
/// becomes `unknown`, and its state is still requested from the network.
pub(super) async fn end_if_late(
    ctx: &JobContext,
    publication: &ScheduledPost,
) -> Result<Option<Next>> {
    if ctx.services().clock.now() < late_at(ctx, publication) {
        return Ok(None);
    }
    let known = publication.code.as_deref().and_then(Cause::from_code);
    let cause = match is_registered(ctx, publication) {
        true => known.unwrap_or(Cause::Late),
        false => Cause::NotConfigured,
    };
    let provider_code = publication.provider_code.as_deref();
    let (to, next) = match (publication.is_uncertain, cause) {
        // `await_quota` announces when the quota is available again.
        (0, Cause::Quota) => (State::Late, Next::Now),
        (0, _) => (State::Late, Next::Nothing),
        _ => (State::Unknown, Next::Now),
    };
    record(ctx, publication, to, Some(cause), provider_code).await?;
    Ok(Some(next))
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
        (POST_CHANNEL.to_owned(), publication.network.as_str().into()),
    ]);
    let about = (PUBLICATION, publication.id.as_str());
    PUBLICATION_ENDED
        .record(ctx.services(), &tx.conn(), about, facts)
        .await
}
