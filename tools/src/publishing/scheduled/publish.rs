//! Makes a prepared post public at its hour, with one request that is never repeated unless the
//! network proves that nothing was posted.

use domain::{
    CommentState, PostState as State,
    time::{Millis, SECOND},
};
use gateway::{Result, jobs::JobContext};
use ports::publishing::{Evidence, Preparation, Prepared, Sent, Step as CallStep, Trouble};
use serde_json::json;
use store::{
    publishing_pauses,
    scheduled_posts::{self, ScheduledPost, Step},
};

use super::{
    files,
    meaning::{self, Cause},
    network::{HELD_UP, Reached, hold_up, reach},
    prepare::{prepare_again, refuse, withdraw},
    prepared::{load_prepared, store_taken},
    steps::{Next, announce_end, end_if_late, hold, record},
    stored_post::{Current, StoredPost, load_current},
};

/// The pause before the state of a post that is no longer ready is requested again.
const NOT_READY: Millis = 15 * SECOND;
/// The pause before the first request for the state of a post that the network has accepted.
const TAKEN: Millis = 5 * SECOND;

/// Publishes a ready post when its hour has come.
pub(super) async fn publish_when_due(
    ctx: &JobContext,
    publication: &ScheduledPost,
) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    if now < publication.due_at {
        return Ok(Next::At(publication.due_at));
    }
    if let Some(next) = end_if_late(ctx, publication).await? {
        return Ok(next);
    }
    let pause = publishing_pauses::find(&services.db.reader()).await?;
    if pause.is_some() {
        return hold(
            ctx,
            publication,
            Cause::Paused,
            None,
            Next::At(now + HELD_UP),
        )
        .await;
    }
    let reached = match reach(services, publication).await? {
        Ok(reached) => reached,
        Err((cause, code)) => {
            return hold(ctx, publication, cause, code, Next::At(now + HELD_UP)).await;
        }
    };
    let prepared = load_prepared(services, publication).await?;
    if let Some(next) = require_ready(ctx, publication, &reached, &prepared).await? {
        return Ok(next);
    }
    let api = &*reached.network.api;
    let stored: StoredPost = serde_json::from_str(&publication.post)?;
    let post = files::build_post(services, publication, &stored, api).await?;
    let what = (stored.has_video(), &prepared);
    if let Some((cause, at)) = reached
        .count_calls(services, CallStep::Publish, what)
        .await?
    {
        return hold(ctx, publication, cause, None, Next::At(at)).await;
    }
    match begin(ctx, publication).await? {
        Begun::Publishing => {}
        Begun::Changed if publication.is_uncertain == 1 => return withdraw(ctx, publication).await,
        Begun::Changed => return prepare_again(ctx, publication, &reached).await,
        Begun::Withdrawn => return withdraw(ctx, publication).await,
        Begun::Again => return Ok(Next::At(now + NOT_READY)),
    }
    let outcome = api.publish(reached.account(), &post, &prepared).await;
    store_outcome(ctx, publication, (&reached, &prepared), outcome).await
}

/// Checks the quota and the state of the prepared post. If the post cannot be published now, returns the
/// time of the next step.
async fn require_ready(
    ctx: &JobContext,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
    prepared: &Prepared,
) -> Result<Option<Next>> {
    let services = ctx.services();
    let api = &reached.network.api;
    let now = services.clock.now();
    let held_up = async |trouble: &Trouble| {
        let held = hold_up(services, reached, trouble).await;
        let code = held.provider_code.as_deref();
        hold(ctx, publication, held.cause, code, held.next).await
    };
    let stored: StoredPost = serde_json::from_str(&publication.post)?;
    let what = (stored.has_video(), prepared);
    if let Some((cause, at)) = reached.count_calls(services, CallStep::State, what).await? {
        return hold(ctx, publication, cause, None, Next::At(at))
            .await
            .map(Some);
    }
    match api.fetch_quota(reached.account()).await {
        Ok(Some(quota)) if quota.is_exhausted() => {
            let next = Next::At(now + HELD_UP);
            return hold(ctx, publication, Cause::Quota, None, next)
                .await
                .map(Some);
        }
        Ok(_) => {}
        Err(trouble) => return held_up(&trouble).await.map(Some),
    }
    let next = match api.fetch_state(reached.account(), prepared).await {
        Ok(Preparation::Ready) => return Ok(None),
        // An earlier request has reached the network, which has accepted the post.
        Ok(Preparation::Created(taken)) if taken.is_taken => {
            store_taken(ctx, publication, &taken).await?;
            Next::Now
        }
        Ok(Preparation::Working) if prepared.is_taken => {
            record(
                ctx,
                publication,
                State::Checking,
                Some(Cause::Processing),
                None,
            )
            .await?;
            Next::Now
        }
        Ok(Preparation::Working | Preparation::Created(_)) => {
            let next = Next::At(now + NOT_READY);
            hold(ctx, publication, Cause::NotReady, None, next).await?
        }
        // An earlier request has published the post.
        Ok(Preparation::Published(_)) => {
            record(ctx, publication, State::Checking, None, None).await?;
            Next::Now
        }
        Ok(Preparation::Expired) if !may_be_online(publication, reached, prepared) => {
            prepare_again(ctx, publication, reached).await?
        }
        Ok(Preparation::Failed { code }) if !may_be_online(publication, reached, prepared) => {
            refuse(ctx, publication, reached, &code).await?
        }
        // No other post is prepared while an earlier request may have created one.
        Ok(Preparation::Expired | Preparation::Failed { .. }) => {
            let cause = Some(Cause::Unknown);
            record(ctx, publication, State::Unknown, cause, None).await?;
            Next::Now
        }
        Err(Trouble::Refused { code, .. })
            if meaning::cause_of(&publication.network, &code) == Cause::PrepareAgain
                && !may_be_online(publication, reached, prepared) =>
        {
            refuse(ctx, publication, reached, &code).await?
        }
        Err(trouble) => held_up(&trouble).await?,
    };
    Ok(Some(next))
}

/// Returns true if an earlier request may have created a post and the network gives no evidence about it.
fn may_be_online(publication: &ScheduledPost, reached: &Reached<'_>, prepared: &Prepared) -> bool {
    let evidence = reached.network.api.evidence(prepared);
    publication.is_uncertain == 1 && evidence == Evidence::Nothing
}

enum Begun {
    Publishing,
    /// The post of the variant differs from the prepared post.
    Changed,
    Withdrawn,
    /// The row changed during the check, so the check must be repeated.
    Again,
}

/// Moves the publication to `publishing`, if the variant is approved and has not changed since the
/// preparation.
async fn begin(ctx: &JobContext, publication: &ScheduledPost) -> Result<Begun> {
    let services = ctx.services();
    let stored: StoredPost = serde_json::from_str(&publication.post)?;
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let piece = match load_current(&db, publication).await? {
        Current::Withdrawn => return Ok(Begun::Withdrawn),
        Current::Approved { post, .. } if *post != stored => return Ok(Begun::Changed),
        Current::Approved { piece, .. } => piece,
    };
    let now = services.clock.now();
    if !scheduled_posts::begin_publishing(&db, publication, &piece, now).await? {
        return Ok(match scheduled_posts::is_online(&db, publication).await? {
            true => Begun::Withdrawn,
            false => Begun::Again,
        });
    }
    ctx.commit(tx).await?;
    Ok(Begun::Publishing)
}

async fn store_outcome(
    ctx: &JobContext,
    publication: &ScheduledPost,
    (reached, prepared): (&Reached<'_>, &Prepared),
    outcome: Result<Sent, Trouble>,
) -> Result<Next> {
    let services = ctx.services();
    let trouble = match outcome {
        Ok(Sent::Online(post_id)) => {
            store_published(ctx, publication, (Some(&post_id), None)).await?;
            return Ok(Next::Now);
        }
        Ok(Sent::Taken(taken)) => {
            store_taken(ctx, publication, &taken).await?;
            return Ok(Next::At(services.clock.now() + TAKEN));
        }
        Err(Trouble::Lost) => {
            leave_publishing(ctx, publication, State::Checking, None, None).await?;
            return Ok(Next::Now);
        }
        Err(trouble) => trouble,
    };
    // The network has proven that nothing was posted, or was never reached.
    let held = hold_up(services, reached, &trouble).await;
    let code = held.provider_code.as_deref();
    let cause = held.cause;
    if let Next::At(until) = held.next {
        let stored: StoredPost = serde_json::from_str(&publication.post)?;
        let what = (stored.has_video(), prepared);
        let step = CallStep::Publish;
        reached
            .block_calls(services, step, what, (cause, until))
            .await?;
    }
    if let (Cause::PrepareAgain, Some(code)) = (cause, code)
        && !may_be_online(publication, reached, prepared)
    {
        leave_publishing(ctx, publication, State::Ready, Some(cause), Some(code)).await?;
        let db = services.db.reader();
        let found = scheduled_posts::find(&db, &publication.id).await?;
        return match found.filter(|found| found.state == State::Ready) {
            Some(ready) => refuse(ctx, &ready, reached, code).await,
            None => Ok(Next::Now),
        };
    }
    let may_retry = matches!(
        cause,
        Cause::Unreachable
            | Cause::RateLimited
            | Cause::Quota
            | Cause::NotReady
            | Cause::Disconnected
            | Cause::PrepareAgain
            | Cause::VersionRetired
            | Cause::Storage
    );
    if may_retry {
        leave_publishing(ctx, publication, State::Ready, Some(cause), code).await?;
        return Ok(held.next);
    }
    // This request has posted nothing, but an earlier request may have.
    let to = match (
        publication.is_uncertain,
        reached.network.api.evidence(prepared),
    ) {
        (0, _) | (_, Evidence::Repeatable) => State::Failed,
        (_, Evidence::State | Evidence::Nothing) => State::Unknown,
    };
    leave_publishing(ctx, publication, to, Some(cause), code).await?;
    if let (Cause::Duplicate, Some(code)) = (cause, code) {
        store_duplicate(ctx, publication, reached, code).await?;
    }
    Ok(Next::Nothing)
}

/// Stores the id and the link of the existing post that the network reports as the duplicate, so that a
/// person can check it.
async fn store_duplicate(
    ctx: &JobContext,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
    code: &str,
) -> Result<()> {
    let Some((_, post_id)) = code.split_once(':') else {
        return Ok(());
    };
    let api = &reached.network.api;
    let post: StoredPost = serde_json::from_str(&publication.post)?;
    let link = api
        .fetch_link(reached.account(), post_id, post.has_video())
        .await;
    let links: Vec<String> = link.unwrap_or_default().into_iter().collect();
    let evidence = json!({
        "requested_at": ctx.services().clock.now(),
        "duplicate_of": post_id,
        "links": links,
    });
    let tx = ctx.services().db.begin().await?;
    scheduled_posts::record_evidence(&tx.conn(), &publication.id, &evidence.to_string()).await?;
    Ok(tx.commit().await?)
}

/// Moves a publication from `publishing` to another state, because nothing was posted or the answer was
/// lost. Announces a state that asks a person. The lease of the job is not needed, because the update
/// has an effect only in the state `publishing`.
async fn leave_publishing(
    ctx: &JobContext,
    publication: &ScheduledPost,
    to: State,
    cause: Option<Cause>,
    provider_code: Option<&str>,
) -> Result<()> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    let step = Step {
        code: cause.map(Cause::code),
        provider_code,
        is_attempt: false,
    };
    let states = (State::Publishing, to);
    let (id, now) = (&publication.id, services.clock.now());
    if scheduled_posts::record_step(&tx.conn(), id, states, step, now).await? && to.asks_person() {
        announce_end(ctx, &tx, publication, to).await?;
    }
    Ok(tx.commit().await?)
}

/// Stores that the post is online, with its id and link if they are known. The lease of the job is not
/// needed, because this fact is true for every instance.
pub(super) async fn store_published(
    ctx: &JobContext,
    publication: &ScheduledPost,
    found: (Option<&str>, Option<&str>),
) -> Result<()> {
    let services = ctx.services();
    let post: StoredPost = serde_json::from_str(&publication.post)?;
    let comment = match post.first_comment {
        Some(_) => CommentState::Pending,
        None => CommentState::Absent,
    };
    let tx = services.db.begin().await?;
    let (id, now) = (&publication.id, services.clock.now());
    if scheduled_posts::record_published(&tx.conn(), id, found, comment, now).await? {
        announce_end(ctx, &tx, publication, State::Published).await?;
    }
    Ok(tx.commit().await?)
}
