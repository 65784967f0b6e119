//! Finds out whether a post is online after the answer to the publishing request was lost.
//!
//! The evidence is the state of the prepared post at the network, which shows whether the post is online.
//! The list of the account's posts is used only to find the id and the link, and only if exactly one post
//! since the request has the same caption. If the network gives no evidence, a person is asked.
//!
//! The state of a post that the network has accepted and publishes later is requested for two days.

use domain::{
    Format, PostState as State,
    time::{HOUR, MINUTE, Millis, SECOND},
};
use gateway::{Result, Services, jobs::JobContext};
use ports::publishing::{Evidence, OnlinePost, Preparation, Step as CallStep, Trouble};
use serde_json::json;
use store::scheduled_posts::{self, ScheduledPost, Step};

use super::{
    meaning::{self, Cause},
    network::{Reached, hold_up, reach},
    prepare::prepare_again,
    prepared::{load_prepared, store_taken},
    publish::store_published,
    steps::{Next, announce_end, hold, late_at, record},
    stored_post::StoredPost,
};

/// The time after the request in which only the network is asked. After this time a person is asked.
/// Any request has ended long before.
const QUIET: Millis = 10 * MINUTE;
const PAUSE: Millis = 30 * SECOND;
/// The maximum time that a network may need to publish a post that it has accepted.
const TAKEN: Millis = 48 * HOUR;
/// The shortest and the longest pause between two requests for the state of an accepted post.
const TAKEN_PAUSES: (Millis, Millis) = (5 * SECOND, 10 * MINUTE);
/// The pause before the repeated preparation of a post that the network accepted and could not publish.
const AGAIN: Millis = 5 * MINUTE;
/// The pause between two requests for the state while the publication also waits for a person.
const LONG_PAUSE: Millis = HOUR;

/// Moves the publication to `checking`, after the process that sent the request died or lost its lease.
pub(super) async fn begin(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    record(ctx, publication, State::Checking, None, None).await?;
    Ok(Next::Now)
}

/// Requests the state of the prepared post from the network, and takes the step that follows from it.
pub(super) async fn check_state(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    let started = publication.started_at.unwrap_or(publication.updated_at);
    let prepared = load_prepared(services, publication).await?;
    let (quiet, pause) = match prepared.is_taken {
        true => {
            let (shortest, longest) = TAKEN_PAUSES;
            (TAKEN, (now - started).clamp(shortest, longest))
        }
        false => (QUIET, PAUSE),
    };
    let mut seen = None;
    let mut candidates = None;
    let reached = reach(services, publication).await?;
    if let (Err((cause, code)), true) = (&reached, prepared.is_taken)
        && publication.state == State::Checking
    {
        record(ctx, publication, State::Checking, Some(*cause), *code).await?;
    }
    if let Ok(reached) = reached {
        let api = &reached.network.api;
        let evidence = api.evidence(&prepared);
        if evidence != Evidence::Nothing {
            let post: StoredPost = serde_json::from_str(&publication.post)?;
            let what = (post.has_video(), &prepared);
            let counted = reached.count_calls(services, CallStep::State, what).await?;
            if let Some((_, at)) = counted {
                return Ok(Next::At(at));
            }
        }
        let state = match evidence {
            Evidence::Nothing if publication.state == State::Unknown => return Ok(Next::Nothing),
            Evidence::Nothing => Err(Trouble::Unreached),
            _ => api.fetch_state(reached.account(), &prepared).await,
        };
        match state {
            Ok(Preparation::Published(Some(post_id))) => {
                store_published(ctx, publication, (Some(&post_id), None)).await?;
                return Ok(Next::Now);
            }
            Ok(Preparation::Created(taken)) if taken.is_taken && !prepared.is_taken => {
                store_taken(ctx, publication, &taken).await?;
                return Ok(Next::Now);
            }
            Ok(Preparation::Published(None)) if prepared.is_taken => {
                store_published(ctx, publication, (None, None)).await?;
                return Ok(Next::Now);
            }
            Ok(Preparation::Published(None)) => {
                let found = list_matching_posts(services, &reached, publication, started).await?;
                // If the list cannot be read now, it is read later, because the first comment needs the
                // id of the post.
                if found.is_none() && now < started + QUIET {
                    return Ok(Next::At(now + PAUSE));
                }
                let found = found.unwrap_or_default();
                let [post] = &found[..] else {
                    store_published(ctx, publication, (None, None)).await?;
                    return Ok(Next::Now);
                };
                let found = (Some(post.id.as_str()), post.link.as_deref());
                store_published(ctx, publication, found).await?;
                return Ok(Next::Now);
            }
            Ok(Preparation::Failed { code }) if prepared.is_taken => {
                return end_accepted_post(ctx, publication, &reached, &code).await;
            }
            // The prepared post has expired or failed at the network, so it cannot have been published.
            Ok(Preparation::Expired | Preparation::Failed { .. }) => {
                let cause = Some(Cause::NotPublished);
                record(ctx, publication, State::Failed, cause, None).await?;
                return Ok(Next::Nothing);
            }
            Ok(Preparation::Ready)
                if evidence == Evidence::Repeatable
                    && publication.state == State::Checking
                    && now >= started + PAUSE =>
            {
                allow_second_request(ctx, publication).await?;
                return Ok(Next::Now);
            }
            Ok(Preparation::Working)
                if prepared.is_taken
                    && publication.state == State::Checking
                    && publication.code.as_deref() != Some(Cause::Processing.code()) =>
            {
                let cause = Some(Cause::Processing);
                record(ctx, publication, State::Checking, cause, None).await?;
                seen = Some("working");
            }
            Ok(Preparation::Ready) => seen = Some("ready"),
            Ok(_) => seen = Some("working"),
            // `hold_up` renews a token that the network has refused.
            Err(trouble) => drop(hold_up(services, &reached, &trouble).await),
        }
        if now >= started + quiet && publication.state == State::Checking {
            candidates = list_matching_posts(services, &reached, publication, started).await?;
        }
    }
    if publication.state == State::Unknown {
        return Ok(Next::At(now + LONG_PAUSE));
    }
    if now < started + quiet {
        return Ok(Next::At(now + pause));
    }
    ask_person(ctx, publication, seen, candidates.as_deref()).await
}

/// Ends a publication whose post the network has accepted and could not publish. If the network could
/// not download the files, the post is prepared again.
async fn end_accepted_post(
    ctx: &JobContext,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
    code: &str,
) -> Result<Next> {
    let services = ctx.services();
    let cause = meaning::cause_of(&publication.network, code);
    let is_late = services.clock.now() >= late_at(ctx, publication);
    let to = match cause {
        // This request has posted nothing, but an earlier request may have.
        _ if publication.is_uncertain == 1 => Some(State::Unknown),
        Cause::PrepareAgain if publication.state == State::Unknown => Some(State::Failed),
        Cause::PrepareAgain if is_late => Some(State::Late),
        Cause::PrepareAgain => None,
        _ => Some(State::Failed),
    };
    if let Some(to) = to {
        record(ctx, publication, to, Some(cause), Some(code)).await?;
        return Ok(Next::Nothing);
    }
    prepare_again(ctx, publication, reached).await?;
    let again = scheduled_posts::find(&services.db.reader(), &publication.id).await?;
    match again.filter(|found| found.state == State::Preparing) {
        Some(again) => {
            let next = Next::At(services.clock.now() + AGAIN);
            hold(ctx, &again, cause, Some(code), next).await
        }
        None => Ok(Next::Now),
    }
}

/// Allows a second publishing request for a post that is not online, at a network where a repeated
/// request has no second effect.
async fn allow_second_request(ctx: &JobContext, publication: &ScheduledPost) -> Result<()> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    let now = services.clock.now();
    scheduled_posts::repeat_publishing(&tx.conn(), &publication.id, now).await?;
    ctx.commit(tx).await
}

/// Lists the posts of the account since the request that have the caption of this post, without the
/// posts of other publications of the piece. Returns `None` if the network does not list the posts, or
/// cannot list them now. Networks do not list stories, so the list for a story is empty.
async fn list_matching_posts(
    services: &Services,
    reached: &Reached<'_>,
    publication: &ScheduledPost,
    started: Millis,
) -> Result<Option<Vec<OnlinePost>>> {
    if publication.kind == Format::Story.as_str() {
        return Ok(Some(vec![]));
    }
    let post: StoredPost = serde_json::from_str(&publication.post)?;
    let api = &reached.network.api;
    let Ok(Some(mut posts)) = api.list_posts(reached.account(), started).await else {
        return Ok(None);
    };
    let db = services.db.reader();
    let others = scheduled_posts::load_published(&db, &publication.event_id).await?;
    let is_of_other = |id: &str| {
        others
            .iter()
            .any(|other| other.post_id.as_deref() == Some(id))
    };
    posts.retain(|online| online.caption.trim() == post.caption.trim() && !is_of_other(&online.id));
    Ok(Some(posts))
}

/// Moves the publication to `unknown`, stores the evidence that was found, and announces that a person
/// must decide.
async fn ask_person(
    ctx: &JobContext,
    publication: &ScheduledPost,
    seen: Option<&str>,
    candidates: Option<&[OnlinePost]>,
) -> Result<Next> {
    let services = ctx.services();
    let now = services.clock.now();
    let links: Vec<_> = candidates
        .unwrap_or_default()
        .iter()
        .filter_map(|post| post.link.clone())
        .collect();
    let evidence = json!({
        "requested_at": publication.started_at,
        "prepared_post": seen,
        "posts_with_this_caption": candidates.map(<[OnlinePost]>::len),
        "links": links,
    });
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let id = &publication.id;
    let step = Step {
        code: Some(Cause::Unknown.code()),
        ..Step::default()
    };
    let states = (State::Checking, State::Unknown);
    if scheduled_posts::record_step(&db, id, states, step, now).await? {
        scheduled_posts::record_evidence(&db, id, &evidence.to_string()).await?;
        announce_end(ctx, &tx, publication, State::Unknown).await?;
    }
    ctx.commit(tx).await?;
    Ok(Next::At(now + LONG_PAUSE))
}
